// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <mhe/context.h>
#include <mhe/error.h>

namespace mhe {
namespace {

TEST(Context, StopsWorkThatReportsOnceTheCallerWantsIt) {
  bool stop = false;
  std::size_t reports = 0;
  ContextOptions options = {.threads = 1};
  options.should_stop = [&] { return stop; };
  options.on_progress = [&](const Progress&) { ++reports; };
  const Context context(options);
  context.report({"working", 1, 2, "rows"});
  EXPECT_FALSE(context.stop_requested());
  stop = true;
  EXPECT_TRUE(context.with_seed(2).stop_requested());
  try {
    context.report({"working", 2, 2, "rows"});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
  }
  EXPECT_EQ(reports, 1U);
}

TEST(Context, WithoutASinkNeverStops) {
  const Context context({.threads = 1});
  EXPECT_FALSE(context.stop_requested());
  EXPECT_NO_THROW(context.check_stop());
  EXPECT_EQ(context.ram_bytes(), 0U);
}

}  // namespace
}  // namespace mhe

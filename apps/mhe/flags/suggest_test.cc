// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "flags/suggest.h"

#include <gtest/gtest.h>

namespace mhe::app {
namespace {

TEST(Nearest, FindsTheWordMeant) {
  const std::vector<std::string> verbs = {"plan", "stats", "convert", "metrics"};
  EXPECT_EQ(nearest("metric", verbs), "metrics");
  EXPECT_EQ(nearest("conver", verbs), "convert");
  EXPECT_EQ(nearest("stast", verbs), "stats");
}

TEST(Nearest, FindsNothingFarAway) {
  EXPECT_EQ(nearest("xyzzy", {"plan", "stats"}), "");
  EXPECT_EQ(nearest("plan", {}), "");
}

}  // namespace
}  // namespace mhe::app

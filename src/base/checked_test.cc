// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/checked.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace mhe {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(Checked, GivesResultsThatFit) {
  EXPECT_EQ(checked_add<std::uint64_t>(kMax - 1, 1, "rows"), kMax);
  EXPECT_EQ(checked_mul<std::uint64_t>(1U << 31, 1U << 31, "cells"), std::uint64_t{1} << 62);
  EXPECT_EQ(checked_cast<std::uint8_t>(255, "byte"), 255);
}

TEST(Checked, RefusesResultsThatDoNot) {
  EXPECT_THROW((void)checked_add<std::uint64_t>(kMax, 1, "rows"), Error);
  EXPECT_THROW((void)checked_mul<std::uint64_t>(kMax, 2, "cells"), Error);
  EXPECT_THROW((void)checked_cast<std::uint8_t>(256, "byte"), Error);
  EXPECT_THROW((void)checked_cast<std::uint8_t>(-1, "byte"), Error);
}

TEST(Assert, ThrowsAnInternalErrorThatNamesThePlace) {
  try {
    MHE_ASSERT(1 + 1 == 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInternal);
    EXPECT_NE(std::string(error.what()).find("checked_test.cc:"), std::string::npos);
  }
}

}  // namespace
}  // namespace mhe

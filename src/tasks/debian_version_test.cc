// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/debian_version.h"

#include <array>

#include <gtest/gtest.h>

namespace mhe::tasks {
namespace {

// Each is newer than the one before; pairs from Debian policy and from the archive.
constexpr std::array kAscending = {
    "0~~",       "0~~a",  "0~",    "0",         "0a",       "0+",    "1.0~beta1~svn1245",
    "1.0~beta1", "1.0",   "1.0-1", "1.0-1+b1",  "1.0-1.1",  "1.0-2", "1.0a",
    "1.0.1",     "1.9",   "1.10",  "7.4.052-1", "7.4.52-2", "10",    "1:0.4",
    "1:1.2.11",  "2:1.0",
};

TEST(CompareVersions, OrdersAsDebianDoes) {
  for (std::size_t i = 0; i < kAscending.size(); ++i) {
    for (std::size_t j = 0; j < kAscending.size(); ++j) {
      EXPECT_EQ(compare_versions(kAscending[i], kAscending[j]), i <=> j)
          << kAscending[i] << " and " << kAscending[j];
    }
  }
}

TEST(CompareVersions, ZerosAtTheFrontOfNumbersDoNotCount) {
  EXPECT_TRUE(compare_versions("1.01", "1.1") == 0);
  EXPECT_TRUE(compare_versions("0:1", "1") == 0);
}

}  // namespace
}  // namespace mhe::tasks

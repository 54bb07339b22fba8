// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/task.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace mhe::tasks {
namespace {

// A split that moves makes results of different versions incomparable, so this never changes.
TEST(SplitOf, IsTheSameForEver) {
  std::string splits;
  for (int i = 0; i < 40; ++i) {
    constexpr std::array kMarks = {'-', 'd', 't'};
    splits += kMarks[static_cast<std::size_t>(split_of(std::to_string(i), 250, 250))];
  }
  EXPECT_EQ(splits, "--d--tdt-ttt-ddtd----t-dttdtd--t----t-td");
}

TEST(SplitOf, GivesEachPartItsShare) {
  std::array<int, 3> counts = {};
  for (int i = 0; i < 100'000; ++i) {
    ++counts[static_cast<std::size_t>(split_of("key" + std::to_string(i), 50, 100))];
  }
  // Standard deviations are 95 and less.
  EXPECT_NEAR(counts[1], 5'000, 400);
  EXPECT_NEAR(counts[2], 10'000, 500);
  EXPECT_EQ(split_of("key", 0, 1000), Split::kTest);
  EXPECT_EQ(split_of("key", 0, 0), Split::kTrain);
}

}  // namespace
}  // namespace mhe::tasks

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/zipf.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

namespace mhe::tasks {
namespace {

std::vector<std::uint64_t> draw(const Zipf& law, std::size_t count) {
  RandomStream random(1, "test");
  std::vector<std::uint64_t> ranks;
  for (std::size_t i = 0; i < count; ++i) ranks.push_back(law.draw(random));
  return ranks;
}

TEST(Zipf, FollowsTheLawWhereRanksStandAloneAndWhereTheyAreGrouped) {
  constexpr std::uint64_t kCount = 100'000;
  constexpr std::size_t kDraws = 1'000'000;
  double sum = 0;
  std::vector<double> below(kCount + 1, 0);  // share of ranks below i
  for (std::uint64_t i = 0; i < kCount; ++i) {
    sum += 1 / static_cast<double>(i + 1);
    below[i + 1] = sum;
  }
  std::vector<std::size_t> found(kCount + 1, 0);
  for (const std::uint64_t rank : draw(Zipf(kCount, 1), kDraws)) {
    ASSERT_LT(rank, kCount);
    ++found[rank + 1];
  }
  for (std::size_t i = 1; i <= kCount; ++i) found[i] += found[i - 1];
  for (const std::size_t i : {1U, 2U, 10U, 1'000U, 1'024U, 1'100U, 5'000U, 50'000U, 99'000U}) {
    // The standard deviation of a share is at most sqrt(0.25 / draws) = 0.0005.
    EXPECT_NEAR(static_cast<double>(found[i]) / kDraws, below[i] / sum, 0.0025) << i;
  }
}

TEST(Zipf, DrawsEvenlyWithExponentZero) {
  std::vector<int> found(5, 0);
  for (const std::uint64_t rank : draw(Zipf(5, 0), 10'000)) ++found[rank];
  for (const int count : found) EXPECT_NEAR(count, 2'000, 200);
}

TEST(Zipf, ReachesTheLastOfManyRanks) {
  std::uint64_t largest = 0;
  for (const std::uint64_t rank : draw(Zipf(100'000'000, 0.5), 10'000)) {
    largest = std::max(largest, rank);
  }
  EXPECT_GT(largest, 99'000'000U);
  EXPECT_LT(largest, 100'000'000U);
}

TEST(Zipf, HasOneRankAtLeast) {
  EXPECT_EQ(draw(Zipf(1, 3), 1).front(), 0U);
  EXPECT_THROW(Zipf(0, 1), Error);
  EXPECT_THROW(Zipf(5, std::nan("")), Error);
}

}  // namespace
}  // namespace mhe::tasks

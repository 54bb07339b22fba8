// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <array>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace mhe {
namespace {

TEST(RandomStream, IsTheSameForTheSameSeedStageAndIndex) {
  RandomStream a(7, "order", 3);
  RandomStream b(7, "order", 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a(), b());
}

TEST(RandomStream, DiffersBySeedStageAndIndex) {
  const std::set<std::uint64_t> first = {
      RandomStream(7, "order", 3)(), RandomStream(8, "order", 3)(), RandomStream(7, "split", 3)(),
      RandomStream(7, "order", 4)()};
  EXPECT_EQ(first.size(), 4U);
}

// Pinned, because model files depend on these numbers: a change here changes every trained model.
TEST(RandomStream, NeverChangesItsNumbers) {
  RandomStream stream(1, "test", 0);
  EXPECT_EQ(stream(), 4689027610963497568U);
  EXPECT_EQ(stream.below(1000), 298U);
}

TEST(RandomStream, BelowIsUniform) {
  RandomStream stream(1, "uniform");
  std::array<int, 10> counts = {};
  for (int i = 0; i < 100000; ++i) ++counts[stream.below(10)];
  // Each count is binomial(100000, 0.1): mean 10000, standard deviation 95; 5 of them is 475.
  for (const int count : counts) EXPECT_NEAR(count, 10000, 475);
}

TEST(RandomStream, ShuffleKeepsEveryItem) {
  std::vector<int> items(50);
  std::iota(items.begin(), items.end(), 0);
  std::vector<int> shuffled = items;
  RandomStream(3, "shuffle").shuffle(std::span<int>(shuffled));
  EXPECT_NE(shuffled, items);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, items);
}

}  // namespace
}  // namespace mhe

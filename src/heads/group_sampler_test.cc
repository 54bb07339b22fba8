// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/group_sampler.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace mhe::heads {
namespace {

// Example 0 has two labels in group 1 and one in group 7, example 1 none, example 2 one in the last
// group, which is short.
const std::vector<Positive> kPositives = {{10, 0}, {19, 0}, {70, 0}, {95, 2}};

std::vector<std::set<std::uint32_t>> groups_of(const std::vector<Pair>& pairs) {
  std::vector<std::set<std::uint32_t>> groups(3);
  for (const Pair& pair : pairs) {
    EXPECT_TRUE(groups[pair.example].insert(pair.parent).second) << "a pair twice";
  }
  return groups;
}

TEST(GroupSampler, GivesEveryExampleItsOwnGroupsAndSomeOthers) {
  GroupSampler sampler(96, 10);
  ASSERT_EQ(sampler.num_groups(), 10U);
  std::set<std::uint32_t> seen;
  for (std::uint64_t number = 0; number < 50; ++number) {
    std::vector<Pair> pairs;
    sampler.choose_for_examples(kPositives, 3, 3, RandomStream(1, "test", number),
                                GroupSampler::Weigh::kNo, pairs);
    const std::vector<std::set<std::uint32_t>> groups = groups_of(pairs);
    EXPECT_EQ(groups[0].size(), 5U);
    EXPECT_EQ(groups[0].count(1) + groups[0].count(7), 2U);
    EXPECT_EQ(groups[1].size(), 3U);
    EXPECT_EQ(groups[2].size(), 4U);
    EXPECT_EQ(groups[2].count(9), 1U);
    seen.insert(groups[1].begin(), groups[1].end());
    for (const Pair& pair : pairs) EXPECT_EQ(pair.shift, 0);
  }
  EXPECT_EQ(seen.size(), 10U);  // every group may be drawn
}

TEST(GroupSampler, DrawsNoMoreThanThereAre) {
  std::vector<Pair> pairs;
  GroupSampler(96, 10).choose_for_examples(kPositives, 3, 9, RandomStream(1, "test"),
                                           GroupSampler::Weigh::kYes, pairs);
  for (const std::set<std::uint32_t>& groups : groups_of(pairs)) EXPECT_GE(groups.size(), 9U);
  for (const Pair& pair : pairs) EXPECT_EQ(pair.shift, 0);  // none is missing, none stands for it
}

TEST(GroupSampler, ShiftsOwnGroupsByTheChanceOfOthers) {
  std::vector<Pair> pairs;
  GroupSampler(96, 10).choose_for_examples(kPositives, 3, 2, RandomStream(1, "test"),
                                           GroupSampler::Weigh::kYes, pairs);
  for (const Pair& pair : pairs) {
    const bool own = pair.example == 0 ? pair.parent == 1 || pair.parent == 7
                                       : pair.example == 2 && pair.parent == 9;
    const double others = pair.example == 0 ? 8 : 9;
    EXPECT_NEAR(pair.shift, own ? std::log(2 / others) : 0, 1e-6);
  }
}

TEST(GroupSampler, JoinsNeighboursOfABatchToRanges) {
  GroupSampler sampler(96, 10);
  std::vector<RowRange> ranges;
  sampler.choose_for_batch(std::vector<Positive>{{12, 0}, {25, 1}, {95, 2}}, 0,
                           RandomStream(1, "test"), ranges);
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].begin, 10U);
  EXPECT_EQ(ranges[0].end, 30U);
  EXPECT_EQ(ranges[1].begin, 90U);
  EXPECT_EQ(ranges[1].end, 96U);
}

}  // namespace
}  // namespace mhe::heads

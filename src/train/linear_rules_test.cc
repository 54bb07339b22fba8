// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/linear_rules.h"

#include <gtest/gtest.h>

namespace mhe::train {
namespace {

TEST(DefaultLengths, CoverTheLabelsWithFewHeads) {
  for (const std::size_t labels : {2U, 39U, 40U, 41U, 159U, 4271U, 10'240U, 10'241U, 5'000'000U}) {
    for (const std::size_t leaf : {2U, 25U, 40U}) {
      const auto lengths = default_lengths(labels, leaf);
      ASSERT_GE(lengths.size(), 2U);
      double covered = 1;
      for (const std::uint32_t length : lengths) covered *= length;
      EXPECT_GE(covered, static_cast<double>(labels)) << labels << " " << leaf;
      EXPECT_LE(lengths.back(), leaf);
      EXPECT_LE(lengths.front(), 256U);
    }
  }
  EXPECT_EQ(default_lengths(4271, 40).size(), 2U);
}

TEST(LeafRule, GrowsWithTheLabelsWithinBounds) {
  TrainOptions options;
  EXPECT_EQ(leaf_of(options, 100), 40U);
  EXPECT_EQ(leaf_of(options, 10'000), 65U);
  EXPECT_EQ(leaf_of(options, 10'000'000), 100U);
  options.leaf = 7;
  EXPECT_EQ(leaf_of(options, 10'000), 7U);
}

SparseMatrix with_nonzeros(std::size_t nonzeros) {
  SparseMatrix features;
  features.num_columns = 10;
  features.columns.assign(nonzeros, 0);
  features.values.assign(nonzeros, 1);
  features.offsets = {0, nonzeros};
  return features;
}

TEST(HeadRule, IsOneHotWhereATreeSavesNothing) {
  const SparseMatrix features = with_nonzeros(1000);
  EXPECT_EQ(resolve_linear({}, features, 500'000).head, "onehot");
  EXPECT_EQ(resolve_linear({}, features, 500'001).head, "cascade");
}

TEST(HeadRule, LeavesWhatIsGiven) {
  const SparseMatrix features = with_nonzeros(10);
  TrainOptions with_lengths;
  with_lengths.lengths = {2, 3};
  EXPECT_EQ(resolve_linear(with_lengths, features, 5).head, "cascade");
  EXPECT_EQ(resolve_linear(preset_options("fast"), features, 5).head, "cascade");
  TrainOptions with_head;
  with_head.head = "cascade";
  EXPECT_EQ(resolve_linear(with_head, features, 5).head, "cascade");
  with_head.head = "onehot";
  EXPECT_EQ(resolve_linear(with_head, with_nonzeros(1000), 500'001).head, "onehot");
}

TEST(CandidatesRule, AreMoreForLongRowsUnlessGiven) {
  constexpr std::size_t kManyLabels = 1'000'000;
  const TrainOptions of_short = resolve_linear({}, with_nonzeros(149), kManyLabels);
  EXPECT_EQ(of_short.candidates, 10);
  TrainOptions with_head;
  with_head.head = "cascade";
  EXPECT_EQ(member_lengths(resolve_linear(with_head, with_nonzeros(149), 4000), 4000, 0).back(),
            41U);
  const TrainOptions of_long = resolve_linear(with_head, with_nonzeros(150), 4000);
  EXPECT_EQ(of_long.candidates, 20);
  EXPECT_EQ(member_lengths(of_long, 4000, 0).back(), 80U);
  with_head.candidates = 0;
  with_head.leaf = 7;
  const TrainOptions given = resolve_linear(with_head, with_nonzeros(150), 4000);
  EXPECT_EQ(given.candidates, 0);
  EXPECT_EQ(given.leaf, 7U);
  EXPECT_EQ(resolve_linear(preset_options("fast"), with_nonzeros(150), 4000).candidates, 10);
}

TEST(DefaultPrune, DropsLessWhereRowsHaveMoreFeaturesOrAreFew) {
  constexpr std::size_t kMany = 1'000'000;
  EXPECT_FLOAT_EQ(default_prune(250 * kMany, kMany, 1), 0.0608F);
  EXPECT_FLOAT_EQ(default_prune(250 * kMany, kMany, 2), 0.1216F);
  EXPECT_FLOAT_EQ(default_prune(250 * kMany, kMany, 100), 0.25F);
  EXPECT_LT(default_prune(600 * kMany, kMany, 1), default_prune(200 * kMany, kMany, 1));
  EXPECT_FLOAT_EQ(default_prune(10 * kMany, kMany, 1), 0.12F);
  EXPECT_FLOAT_EQ(default_prune(kMany, kMany / 10, 1), 0.03F);
  EXPECT_EQ(default_prune(0, 0, 1), 0);
}

}  // namespace
}  // namespace mhe::train

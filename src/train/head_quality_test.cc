// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/head_quality.h"

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "toy_training.h"
#include "train/members.h"
#include "train/tune.h"
#include "train/validation.h"

namespace mhe::train {
namespace {

using testing::toy_rows;
using testing::toy_set;

class HeadQualityTest : public ::testing::Test {
 protected:
  static std::vector<TrainedCascade> train(std::vector<std::uint32_t> lengths) {
    TrainOptions options;
    options.lengths = std::move(lengths);
    options.beam = 2;
    const Context context({.threads = 1});
    const TrainingSet set = toy_set(toy_rows(200, 20), 20);
    return train_cascades(context, set.examples, {20},
                          resolve_linear(options, set.examples.features, 20));
  }

  const Context context_ = Context({.threads = 2});
  // Every third row is labelled wrongly, so that there are mistakes to count.
  static TrainingSet make_unseen() {
    TrainingSet set = toy_set(toy_rows(300, 20, 2), 20);
    Ragged<LabelId>& labels = set.examples.labels;
    for (std::size_t row = 0; row < labels.rows(); row += 3) {
      for (std::uint64_t i = labels.offsets[row]; i < labels.offsets[row + 1]; ++i) {
        labels.items[i] = LabelId{static_cast<std::uint32_t>((index_of(labels.items[i]) + 7) % 20)};
      }
    }
    return set;
  }

  const TrainingSet unseen_ = make_unseen();
  const std::vector<std::uint32_t> counts_ = count_labels(unseen_.examples.labels, 20);
};

TEST_F(HeadQualityTest, TheLastHeadIsTheWholeModel) {
  const auto members = train({4, 5});
  const std::vector<HeadQuality> heads = measure_heads(context_, members[0], unseen_.examples);
  ASSERT_EQ(heads.size(), 2U);
  EXPECT_EQ(heads[0].choices, 4U);
  EXPECT_EQ(heads[1].choices, 20U);
  const MemberViews views(members);
  const Precision precision = precision_of(
      rank_rows(context_, ranking_of(model::LinearMember(views.cascades), unseen_.examples)));
  EXPECT_NEAR(100 * heads[1].best_right, precision.at_1, 1e-9);
  EXPECT_GE(heads[0].best_right, heads[1].best_right) << "a right label has a right parent";
  EXPECT_GE(heads[0].kept, heads[1].kept) << "what is lost stays lost";
  EXPECT_GT(heads[1].kept, 0.2);
  EXPECT_LT(heads[1].best_right, 1);
}

TEST_F(HeadQualityTest, ABeamOfEverythingKeepsEverything) {
  auto members = train({4, 5});
  members[0].search.beam = 20;
  for (const HeadQuality& head : measure_heads(context_, members[0], unseen_.examples)) {
    EXPECT_EQ(head.kept, 1.0) << head.name;
  }
}

TEST_F(HeadQualityTest, UnseenLabelsAreLost) {
  Examples rows = unseen_.examples;
  for (LabelId& label : rows.labels.items)
    label = LabelId{static_cast<std::uint32_t>(index_of(label) + 20)};
  for (const HeadQuality& head : measure_heads(context_, train({4, 5})[0], rows)) {
    EXPECT_EQ(head.best_right, 0);
    EXPECT_EQ(head.kept, 0);
  }
}

TEST_F(HeadQualityTest, ConfusionCountsEveryRowOnce) {
  const auto members = train({4, 5});
  const HeadConfusion all =
      confuse_heads(context_, members[0], unseen_.examples, unseen_.names, counts_);
  ASSERT_EQ(all.groups.size(), 4U) << "each is confused with some other";
  EXPECT_EQ(all.all_groups, 4U);
  EXPECT_NEAR(std::accumulate(all.taken.begin(), all.taken.end(), 0.0), 300, 1e-6);
  double right = 0;
  for (std::size_t i = 0; i < 4; ++i) right += all.taken[i * 4 + i];
  const std::vector<HeadQuality> heads = measure_heads(context_, members[0], unseen_.examples);
  EXPECT_NEAR(right / 300, heads[0].best_right, 1e-9);
  for (const HeadGroup& group : all.groups) {
    EXPECT_EQ(group.labels, 5U);
    ASSERT_EQ(group.examples.size(), 3U);
    const auto count = [&](std::size_t i) { return counts_[std::stoul(group.examples[i])]; };
    EXPECT_GE(count(0), count(1)) << "the most frequent first";
    EXPECT_GE(count(1), count(2));
  }
}

TEST_F(HeadQualityTest, ConfusionKeepsTheWorst) {
  const auto members = train({20});
  const HeadConfusion few =
      confuse_heads(context_, members[0], unseen_.examples, unseen_.names, counts_, 6);
  ASSERT_GE(few.groups.size(), 2U);
  ASSERT_LE(few.groups.size(), 6U);
  EXPECT_EQ(few.all_groups, 20U);
  EXPECT_EQ(few.taken.size(), few.groups.size() * few.groups.size());
  EXPECT_EQ(few.groups[0].examples.size(), 1U) << "of one-hot a group is a label";
}

}  // namespace
}  // namespace mhe::train

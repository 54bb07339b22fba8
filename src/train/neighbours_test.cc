// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/neighbours.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "text/builder.h"
#include "toy_training.h"
#include "train/members.h"
#include "train/validation.h"

namespace mhe::train {
namespace {

constexpr std::size_t kRows = 900;
constexpr std::uint32_t kLabels = 300;

// Rows of one label each, of three on the mean, that show in two of four features of the label.
TrainingSet rare_labels(std::uint64_t seed, std::size_t rows) {
  TrainingSet set;
  set.names = LabelNames::numbered(kLabels);
  set.examples.features.num_columns = 4 * std::size_t{kLabels};
  for (std::size_t row = 0; row < rows; ++row) {
    RandomStream random(seed, "neighbours_test", row);
    const auto label = static_cast<std::uint32_t>(random.below(kLabels));
    const auto first = static_cast<std::uint32_t>(random.below(3));
    for (const std::uint32_t feature : {first, 3U}) {
      set.examples.features.columns.push_back(4 * label + feature);
      set.examples.features.values.push_back(1);
    }
    set.examples.features.end_row();
    set.examples.labels.items.push_back(LabelId{label});
    set.examples.labels.end_row();
  }
  normalize_rows(set.examples.features);
  return set;
}

TEST(NeighbourFeatures, OfTextAreItsWordsAndTheirBeginnings) {
  const Context context({.threads = 1});
  TextOptions options;
  options.word_ngrams = 2;
  options.fields[0].own = true;
  options.fields[0].char_min = options.fields[0].char_max = 3;
  text::VectorizerBuilder builder(context, options);
  const std::vector<std::string_view> texts = {"to sail sailing sailors say"};
  builder.add(text::Documents(texts, 1));
  TrainingSet set;
  set.vectorizer = builder.finish().vectorizer;
  const std::vector<heads::NeighbourFeature> used = neighbour_features(set);
  std::vector<std::string> names;
  std::vector<std::uint32_t> stems;
  for (const heads::NeighbourFeature& feature : used) {
    names.push_back(set.vectorizer->feature_name(FeatureId{feature.feature}));
    stems.push_back(feature.stem);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"sail", "sailing", "sailors", "say", "to"}));
  EXPECT_EQ(stems, (std::vector<std::uint32_t>{0, 0, 0, 1, heads::kNoStem}));
}

TEST(NeighbourFeatures, OfSparseVectorsAreAll) {
  EXPECT_EQ(neighbour_features(rare_labels(1, 5)).size(), 4U * kLabels);
}

TEST(ShouldTryNeighbours, NotWithLongRowsUnlessAsked) {
  TrainingSet set = rare_labels(1, 10);
  TrainOptions options;
  EXPECT_TRUE(should_try_neighbours(set, options));
  options.neighbours = 0;
  EXPECT_FALSE(should_try_neighbours(set, options));
  set.examples = {};
  set.examples.features.num_columns = 1000;
  for (std::uint32_t i = 0; i < 100; ++i) {
    set.examples.features.columns.push_back(i);
    set.examples.features.values.push_back(0.1F);
  }
  set.examples.features.end_row();
  set.examples.labels.end_row();
  options.neighbours = -1;
  EXPECT_FALSE(should_try_neighbours(set, options));
  options.neighbours = 0.5F;
  EXPECT_TRUE(should_try_neighbours(set, options));
}

class NeighbourWeightTest : public ::testing::Test {
 protected:
  // The weight that unseen rows choose beside cascades of so many sweeps.
  float weight(std::size_t validation) {
    TrainOptions options;
    options.lengths = {20, 15};
    options.loss_weight = 0.001F;  // too little to learn much
    options.prune = 0;
    const std::vector<TrainedCascade> members =
        train_cascades(context_, set_.examples, {kLabels},
                       resolve_linear(options, set_.examples.features, kLabels));
    const MemberViews views(members);
    const heads::NeighbourIndex index = heads::build_neighbours(
        set_.examples.features, set_.examples.labels, neighbour_features(set_));
    return choose_neighbour_weight(context_, model::LinearMember(views.cascades, {index.view()}),
                                   rare_labels(2, validation).examples);
  }

  const Context context_ = Context({.threads = 1});
  const TrainingSet set_ = rare_labels(1, kRows);
};

TEST_F(NeighbourWeightTest, IsMoreThanNothingWhereTheyHelp) {
  EXPECT_GT(weight(300), 0.0F);
}

TEST_F(NeighbourWeightTest, IsNothingWhenFewRowsAsk) {
  EXPECT_EQ(weight(99), 0.0F);
}

TEST(NeighbourBytes, AreNoLessThanTheIndex) {
  const TrainingSet set = rare_labels(1, kRows);
  const heads::NeighbourIndex index =
      heads::build_neighbours(set.examples.features, set.examples.labels, neighbour_features(set));
  const std::uint64_t bytes = 4 * (index.features.size() + index.stems.size() + index.rows.size() +
                                   index.row_scale.size() + index.labels.size()) +
                              8 * (index.posting_begin.size() + index.label_begin.size());
  EXPECT_GE(neighbour_bytes(set), bytes);
  EXPECT_LE(neighbour_bytes(set), 2 * bytes);
}

}  // namespace
}  // namespace mhe::train

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/weigh_features.h"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/predict.h>
#include <mhe/train.h>

#include "base/random.h"
#include "model/model.h"
#include "scratch_dir.h"
#include "toy_training.h"

namespace mhe::train {
namespace {

using testing::toy_rows;
using testing::toy_set;
using testing::ToyRow;

constexpr std::uint32_t kLabels = 30;

// Columns in units of their own, from thousandths to thousands.
float unit_of(std::uint32_t feature) {
  return std::pow(10.0F, static_cast<float>(feature * 7 % 13) / 2 - 3);
}

std::vector<ToyRow> in_units(std::vector<ToyRow> rows) {
  for (ToyRow& row : rows) {
    for (auto& [feature, value] : row.entries) value *= unit_of(feature);
  }
  return rows;
}

SparseMatrix one_row(std::vector<std::uint32_t> columns, std::vector<float> values) {
  SparseMatrix matrix;
  matrix.num_columns = 4;
  matrix.columns = std::move(columns);
  matrix.values = std::move(values);
  matrix.end_row();
  return matrix;
}

TEST(FeatureWeights, WeighARowToLengthOne) {
  const FeatureWeights weights = {{2, 0.5F, 3}, false};
  SparseMatrix row = one_row({0, 2}, {0.6F, -0.8F});
  apply_weights(weights.view(), row);
  const float length = std::hypot(1.2F, 2.4F);
  EXPECT_FLOAT_EQ(row.values[0], 1.2F / length);
  EXPECT_FLOAT_EQ(row.values[1], -2.4F / length);
}

TEST(FeatureWeights, TakeRootsWithTheSignOfTheValue) {
  const FeatureWeights weights = {{1, 1, 1, 1}, true};
  SparseMatrix row = one_row({0, 1}, {0.36F, -0.64F});
  apply_weights(weights.view(), row);
  EXPECT_FLOAT_EQ(row.values[0], 0.6F);
  EXPECT_FLOAT_EQ(row.values[1], -0.8F);
}

TEST(FeatureWeights, LeaveNothingOfColumnsBeyondThemOrDamagedOnes) {
  const FeatureWeights weights = {{1, NAN, INFINITY}, false};
  SparseMatrix row = one_row({0, 1, 2, 3}, {0.5F, 0.5F, 0.5F, 0.5F});
  apply_weights(weights.view(), row);
  EXPECT_THAT(row.values, ::testing::ElementsAre(1, 0, 0, 0));
}

TEST(FeatureWeights, OfScaledColumnsDoNotDependOnTheirUnits) {
  TrainingSet plain = toy_set(toy_rows(300, kLabels), kLabels);
  TrainingSet units = plain;
  for (std::size_t i = 0; i < units.examples.features.columns.size(); ++i) {
    units.examples.features.values[i] *= unit_of(units.examples.features.columns[i]);
  }
  normalize_rows(units.examples.features);
  for (const char* name : {"scaled", "root-scaled"}) {
    SparseMatrix a = plain.examples.features;
    SparseMatrix b = units.examples.features;
    apply_weights(make_feature_weights(a, name).view(), a);
    apply_weights(make_feature_weights(b, name).view(), b);
    // What the last round that finds the scales of rows still moved. As they are, values differ by
    // up to 1.
    for (std::size_t i = 0; i < a.values.size(); ++i) EXPECT_NEAR(a.values[i], b.values[i], 0.02);
  }
}

TEST(FeatureWeights, KnowFeaturesThatAreWeightedAlready) {
  SparseMatrix features;  // column c in about one row of c + 1
  features.num_columns = 30;
  RandomStream random(1, "weigh_features_test");
  for (int row = 0; row < 600; ++row) {
    for (std::uint32_t column = 0; column < features.num_columns; ++column) {
      if (random.below(column + 1) != 0) continue;
      features.columns.push_back(column);
      features.values.push_back(1);
    }
    features.end_row();
  }
  normalize_rows(features);
  EXPECT_FALSE(is_weighted_by_rarity(features));
  apply_weights(make_feature_weights(features, "idf").view(), features);
  EXPECT_TRUE(is_weighted_by_rarity(features));
}

TEST(FeatureWeights, OfColumnsThatAreAllAlikeAreNone) {
  TrainingSet set = toy_set(toy_rows(50, kLabels), kLabels);
  for (float& value : set.examples.features.values) value = 0.5F;
  for (std::uint32_t& column : set.examples.features.columns) column = 1;
  EXPECT_FALSE(is_weighted_by_rarity(set.examples.features));
}

TEST(FeatureWeights, AreFoundWhereColumnsHaveUnits) {
  const Context context({.threads = 2});
  TrainingSet set = toy_set(in_units(toy_rows(600, kLabels)), kLabels);
  EXPECT_THAT(weigh_features(context, set, TrainOptions()), ::testing::HasSubstr("scaled"));
  EXPECT_EQ(set.feature_weights.columns.size(), set.examples.features.num_columns);
}

TEST(FeatureWeights, AreRefusedForText) {
  const testing::ScratchDir dir;
  const std::string path = dir.write("t.txt", "__label__a x y\n__label__b y z\n__label__a x z\n");
  TrainOptions options;
  options.feature_weights = "idf";
  try {
    (void)train_model(Context(), testing::read_from(path), options, {.out = dir.file("m.mhe")});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the data is text"));
  }
}

// How many rows of other data have their best label right.
double accuracy(const std::string& path, const std::vector<ToyRow>& rows) {
  const Model model = Model::open(path);
  Session session(model);
  double right = 0;
  for (const ToyRow& row : rows) {
    std::vector<std::uint32_t> columns;
    std::vector<float> values;
    for (const auto& [feature, value] : row.entries) {
      columns.push_back(feature);
      values.push_back(value);
    }
    const auto best = session.predict(SparseRow{columns, values}, {.k = 1});
    const std::string name = model.label_name(best[0].label);
    for (const std::uint32_t label : row.labels) right += name == fmt::format("{}", label) ? 1 : 0;
  }
  return right / static_cast<double>(rows.size());
}

TEST(FeatureWeights, AreInTheModelAndTheSameForAnyThreads) {
  const testing::ScratchDir dir;
  const std::string data = dir.write("train.svm", svmlight(in_units(toy_rows(600, kLabels))));
  const std::vector<ToyRow> unseen = in_units(toy_rows(200, kLabels, 2));
  const auto train_with = [&](const char* weights, std::size_t threads) {
    TrainOptions options;
    options.feature_weights = weights;
    const Context context({.threads = threads});
    return train_model(context, testing::read_from(data), options, {.out = dir.file("m.mhe")});
  };
  (void)train_with("none", 2);
  const double without = accuracy(dir.file("m.mhe"), unseen);
  const TrainReport report = train_with("auto", 1);
  EXPECT_THAT(report.feature_weights, ::testing::HasSubstr("scaled"));
  EXPECT_GT(accuracy(dir.file("m.mhe"), unseen), without + 0.05);
  const std::string one = dir.read("m.mhe");
  (void)train_with("auto", 3);
  EXPECT_TRUE(dir.read("m.mhe") == one);
}

}  // namespace
}  // namespace mhe::train

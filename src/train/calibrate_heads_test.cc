// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/calibrate_heads.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/predict.h>
#include <mhe/train.h>

#include "base/random.h"

namespace mhe::train {
namespace {

// Rows of one label each, some of which look like those of the next label.
Dataset one_label_rows(std::size_t rows, std::uint32_t num_labels) {
  DatasetBuilder builder = DatasetBuilder::of_vectors(2 * num_labels);
  RandomStream random(7, "calibrate-heads-test");
  for (std::size_t row = 0; row < rows; ++row) {
    const auto label = static_cast<std::uint32_t>(row % num_labels);
    const auto shown = random.below(5) == 0 ? (label + 1) % num_labels : label;
    const std::vector<std::uint32_t> columns = {
        shown, num_labels + static_cast<std::uint32_t>(random.below(num_labels))};
    const std::vector<float> values = {1.0F, 0.5F};
    const std::vector<LabelId> labels = {LabelId{label}};
    builder.add(SparseRow{columns, values}, labels);
  }
  return std::move(builder).build();
}

class SoftmaxProbabilities : public testing::TestWithParam<std::string> {};

TEST_P(SoftmaxProbabilities, OfAllLabelsSumToOneAtMost) {
  constexpr std::uint32_t kLabels = 60;
  TrainOptions options;
  options.encoder = "bag";
  options.head = GetParam();
  options.dim = 32;
  options.epochs = 4;
  options.held_out = 0.2;
  if (options.head != "onehot") options.lengths = {8, 8};
  const Dataset rows = one_label_rows(1200, kLabels);
  const Model model = train_in_memory(Context({.threads = 2}), rows, options);
  Session session(model);
  for (std::uint32_t column = 0; column < kLabels; ++column) {
    const std::vector<std::uint32_t> columns = {column, kLabels + column};
    const std::vector<float> values = {1.0F, 0.2F};
    double sum = 0;
    for (const ScoredLabel& found : session.predict(SparseRow{columns, values}, {.k = kLabels})) {
      EXPECT_GE(found.score, 0);
      sum += static_cast<double>(found.score);
    }
    EXPECT_LE(sum, 1 + 1e-4);
    EXPECT_GT(sum, 0.5);
  }
}

INSTANTIATE_TEST_SUITE_P(Heads, SoftmaxProbabilities,
                         testing::Values("onehot", "product", "cascade", "sampling"),
                         [](const auto& param) { return param.param; });

TEST(CalibrateHeads, IsForSoftmaxesOverOneLabelARowAndForSets) {
  Examples one;
  Examples several;
  for (std::uint32_t row = 0; row < 40; ++row) {
    const std::vector<LabelId> labels = {LabelId{row}, LabelId{row + 1}};
    one.labels.push_row(std::span(labels).first(1));
    several.labels.push_row(labels);
  }
  heads::HeadSpec head;
  head.own = heads::CascadeSpec();
  EXPECT_TRUE(has_own_calibration(head, one));
  EXPECT_FALSE(has_own_calibration(head, several));
  head.own = heads::ProductSpec{.code = heads::ProductCode::kPowerset};
  EXPECT_TRUE(has_own_calibration(head, several));
  head.loss = heads::Loss::kSigmoid;
  EXPECT_FALSE(has_own_calibration(head, one));
  EXPECT_FALSE(has_own_calibration({}, Examples()));
}

}  // namespace
}  // namespace mhe::train

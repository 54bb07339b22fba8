// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows with one label each: probabilities of a row never sum to more than 1.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/predict.h>
#include <mhe/train.h>

#include "base/random.h"

namespace mhe::train {
namespace {

constexpr std::uint32_t kLabels = 60;

// Some rows look like those of the next label; dense ones have a number per column.
Dataset one_label_rows(std::size_t rows, bool is_dense) {
  DatasetBuilder builder = is_dense ? DatasetBuilder::of_dense_vectors(2 * kLabels)
                                    : DatasetBuilder::of_vectors(2 * kLabels);
  RandomStream random(7, "one-label-test");
  for (std::size_t row = 0; row < rows; ++row) {
    const auto label = static_cast<std::uint32_t>(row % kLabels);
    const std::uint32_t shown = random.below(5) == 0 ? (label + 1) % kLabels : label;
    const std::vector<std::uint32_t> columns = {
        shown, kLabels + static_cast<std::uint32_t>(random.below(kLabels))};
    const std::vector<float> values = {1.0F, 0.5F};
    const std::vector<LabelId> labels = {LabelId{label}};
    if (is_dense) {
      std::vector<float> dense(2 * kLabels);
      for (std::size_t i = 0; i < 2; ++i) dense[columns[i]] = values[i];
      builder.add(DenseRow(dense), labels);
    } else {
      builder.add(SparseRow{columns, values}, labels);
    }
  }
  return std::move(builder).build();
}

struct Case {
  std::string name;
  std::string encoder;
  std::string head;
  std::size_t ensemble = 1;
  double held_out = 0.2;
  std::string loss = "auto";
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

class OneLabel : public testing::TestWithParam<Case> {};

TEST_P(OneLabel, ProbabilitiesOfARowSumToOneAtMost) {
  const Case& one = GetParam();
  const bool is_dense = one.encoder == "dense";
  TrainOptions options;
  options.encoder = one.encoder;
  options.head = one.head;
  options.ensemble = one.ensemble;
  options.held_out = one.held_out;
  if (one.encoder != "linear") {
    options.dim = 32;
    options.epochs = 4;
    options.loss = one.loss;
  }
  if (one.head != "onehot" && one.head != "auto") options.lengths = {8, 8};
  const Model model =
      train_in_memory(Context({.threads = 2}), one_label_rows(1200, is_dense), options);
  Session session(model);
  for (std::uint32_t column = 0; column < kLabels; ++column) {
    const std::vector<std::uint32_t> columns = {column, kLabels + column};
    const std::vector<float> values = {1.0F, 0.2F};
    std::vector<float> dense(2 * kLabels);
    dense[columns[0]] = values[0];
    dense[columns[1]] = values[1];
    const auto predict = [&](std::size_t k) {
      return is_dense ? session.predict(DenseRow(dense), {.k = k})
                      : session.predict(SparseRow{columns, values}, {.k = k});
    };
    double sum = 0;
    std::vector<ScoredLabel> all;
    for (const ScoredLabel& found : predict(kLabels)) {
      EXPECT_GE(found.score, 0);
      sum += static_cast<double>(found.score);
      all.push_back(found);
    }
    EXPECT_LE(sum, 1 + 1e-4);
    EXPECT_GT(sum, 0.3);
    // The best of one member do not depend on how many are asked for.
    const bool is_one = one.ensemble == 1 && one.encoder.find(',') == std::string::npos;
    const std::span<const ScoredLabel> first = predict(3);
    ASSERT_EQ(first.size(), 3U);
    for (std::size_t i = 0; i < 3 && is_one; ++i) {
      EXPECT_EQ(first[i].label, all[i].label);
      EXPECT_NEAR(first[i].score, all[i].score, 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, OneLabel,
    testing::Values(
        Case{"BagOneHot", "bag", "onehot"}, Case{"BagProduct", "bag", "product"},
        Case{"BagCascade", "bag", "cascade"}, Case{"BagSampling", "bag", "sampling"},
        Case{"DenseOneHot", "dense", "onehot"}, Case{"DenseProduct", "dense", "product"},
        Case{"DenseCascade", "dense", "cascade"}, Case{"DenseSampling", "dense", "sampling"},
        Case{"BagEnsemble", "bag", "cascade", 3},
        Case{"BagSigmoids", "bag", "onehot", 1, 0.2, "sigmoid"},
        Case{"BagFewValidationRows", "bag", "onehot", 1, 0.01},
        Case{"BagNotCalibrated", "bag", "onehot", 1, 0.0},
        Case{"LinearCascade", "linear", "cascade"}, Case{"LinearOneHot", "linear", "onehot"},
        Case{"LinearEnsemble", "linear", "cascade", 3}, Case{"LinearAndBag", "linear,bag", "auto"}),
    [](const auto& param) { return param.param.name; });

TEST(OneLabelRows, AreForgottenWhereARowHasTwo) {
  DatasetBuilder builder = DatasetBuilder::of_vectors(4);
  for (std::uint32_t row = 0; row < 400; ++row) {
    const std::vector<std::uint32_t> columns = {row % 4};
    const std::vector<float> values = {1.0F};
    std::vector<LabelId> labels = {LabelId{row % 2}};
    if (row % 4 < 2) labels = {LabelId{0}, LabelId{1}};
    builder.add(SparseRow{columns, values}, labels);
  }
  TrainOptions options;
  options.held_out = 0.2;
  const Model model = train_in_memory(Context({.threads = 1}), std::move(builder).build(), options);
  Session session(model);
  const std::vector<std::uint32_t> columns = {0};
  const std::vector<float> values = {1.0F};
  double sum = 0;
  for (const ScoredLabel& found : session.predict(SparseRow{columns, values}, {.k = 2})) {
    sum += static_cast<double>(found.score);
  }
  EXPECT_GT(sum, 1.5);  // both are true
}

}  // namespace
}  // namespace mhe::train

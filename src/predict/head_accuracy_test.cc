// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/head_accuracy.h"

#include <vector>

#include <gtest/gtest.h>

#include "heads/head_spec.h"

namespace mhe::predict {
namespace {

std::vector<LabelId> ids(std::vector<std::uint32_t> numbers) {
  std::vector<LabelId> labels;
  for (const std::uint32_t number : numbers) labels.push_back(LabelId{number});
  return labels;
}

HeadAccuracy accuracy_of(heads::ProductCode code) {
  const heads::HeadSpec spec = {.num_labels = code == heads::ProductCode::kPowerset ? 4U : 12U,
                                .lengths = {4, 4},
                                .dim = 2,
                                .own = heads::ProductSpec{.code = code}};
  auto targets = model::HeadTargets::of(
      spec, [](std::string_view) -> const heads::HeadTensor* { return nullptr; }, spec.num_labels);
  return HeadAccuracy(*std::move(targets));
}

// The sets {0, 1} and {2, 3} are digits of the two heads; the first label is the higher bit.
TEST(HeadAccuracy, OfSetsCountsRowsWithoutLabels) {
  HeadAccuracy accuracy = accuracy_of(heads::ProductCode::kPowerset);
  accuracy.add(ids({0, 3}), std::vector<std::uint32_t>{2, 1});  // both right
  accuracy.add(ids({}), std::vector<std::uint32_t>{0, 3});      // the first is
  accuracy.add(ids({}), std::vector<std::uint32_t>{0, 0});      // both are
  accuracy.add(ids({1}), std::vector<std::uint32_t>{2, 0});     // the second is
  EXPECT_EQ(accuracy.shares(), (std::vector<double>{0.75, 0.75}));
  EXPECT_FALSE(accuracy.phantom_mass().has_value());  // every digit is a set
}

TEST(HeadAccuracy, OfLabelsLeavesOutRowsWithoutLabels) {
  HeadAccuracy accuracy = accuracy_of(heads::ProductCode::kDigits);
  accuracy.add(ids({6}), std::vector<std::uint32_t>{1, 2});
  accuracy.add(ids({}), std::vector<std::uint32_t>{0, 0}, 0.5);
  EXPECT_EQ(accuracy.shares(), (std::vector<double>{1, 1}));
  EXPECT_EQ(accuracy.phantom_mass(), 0.25);
}

}  // namespace
}  // namespace mhe::predict

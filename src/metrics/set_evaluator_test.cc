// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/metrics.h>

namespace mhe {
namespace {

std::vector<LabelId> ids(std::vector<std::uint32_t> numbers) {
  std::vector<LabelId> labels;
  for (const std::uint32_t number : numbers) labels.push_back(LabelId{number});
  return labels;
}

TEST(SetEvaluator, CountsWholeSetsAndTheirLabels) {
  SetEvaluator sets;
  sets.add(ids({1, 4, 7}), ids({7, 1, 4}));  // right, in any order
  sets.add(ids({2, 3}), ids({2}));           // one is missing
  sets.add(ids({}), ids({}));                // nothing is a set, too
  sets.add(ids({5}), ids({6, 5, 9}));        // two too many
  const SetReport report = sets.report();
  EXPECT_EQ(report.rows, 4U);
  EXPECT_DOUBLE_EQ(report.accuracy, 2.0 / 4);
  EXPECT_DOUBLE_EQ(report.precision, 5.0 / 7);
  EXPECT_DOUBLE_EQ(report.recall, 5.0 / 6);
  EXPECT_DOUBLE_EQ(report.f1, 10.0 / 13);
}

TEST(SetEvaluator, OfNothingIsUndefined) {
  EXPECT_TRUE(std::isnan(SetEvaluator().report().accuracy));
  SetEvaluator sets;
  sets.add({}, {});
  EXPECT_DOUBLE_EQ(sets.report().accuracy, 1);
  EXPECT_TRUE(std::isnan(sets.report().precision));
  EXPECT_TRUE(std::isnan(sets.report().f1));
}

TEST(SetEvaluator, RefusesWhatIsNoSet) {
  SetEvaluator sets;
  EXPECT_THROW(sets.add(ids({2, 1}), {}), Error);
  EXPECT_THROW(sets.add({}, ids({3, 3})), Error);
}

}  // namespace
}  // namespace mhe

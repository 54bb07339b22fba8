// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/gradient_plan.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "toy_training.h"

namespace mhe::train {
namespace {

using Shape = std::pair<std::vector<std::uint32_t>, std::size_t>;  // lengths, inner dim

// What an open cascade over many labels becomes under budgets that can be kept.
std::map<std::uint64_t, Shape> shapes_by_budget(const TrainingSet& set) {
  TrainOptions options;
  options.encoder = "bag";
  options.dim = 4096;
  options = resolve_gradient(options, set.examples.rows(), set.names.size());
  std::map<std::uint64_t, Shape> shapes;
  for (std::uint64_t megabytes = 2000; megabytes <= 10'000; megabytes += 200) {
    try {
      const GradientPlan plan = plan_gradient(set, options, megabytes * 1'000'000);
      shapes[megabytes] = {plan.head.lengths, plan.head.inner_width()};
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kResourceLimit);
    }
  }
  return shapes;
}

TEST(GradientPlan, ShapesFollowFromTheBudgetAndNotFromWhatElseIsInMemory) {
  TrainingSet set = testing::toy_set(testing::toy_rows(100, 30), 30);
  set.names = LabelNames::numbered(300'000);  // rows outweigh what sanitizers hold
  const std::map<std::uint64_t, Shape> shapes = shapes_by_budget(set);
  const std::vector<char> held(std::size_t{64} << 20U, 1);
  std::size_t compared = 0;
  std::size_t narrower = 0;
  for (const auto& [megabytes, shape] : shapes_by_budget(set)) {
    EXPECT_EQ(shape, shapes.at(megabytes)) << megabytes << " MB";
    ++compared;
    if (shape.second < 4096) ++narrower;
  }
  EXPECT_GT(compared, narrower) << "no budget is enough for wide levels";
  EXPECT_GT(narrower, 0U) << "no budget asks for narrower levels";
  EXPECT_EQ(held.back(), 1);
}

}  // namespace
}  // namespace mhe::train

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/input_scaling.h"

#include <vector>

#include <gtest/gtest.h>

#include "row_source.h"

namespace mhe::encoders {
namespace {

TEST(InputScaling, MeasuresMeanAndDeviationOfEveryColumn) {
  const Context context({.threads = 1});
  const std::vector<float> first = {1, 5};
  const std::vector<float> second = {3, 5};  // the second column never varies
  const DenseRow rows[] = {first, second};
  testing::RowSource source(DenseRows{rows});
  const InputScaling scaling = measure_scaling(context, source, 2);
  EXPECT_EQ(scaling.mean, (std::vector<float>{2, 5}));
  EXPECT_EQ(scaling.scale, (std::vector<float>{1, 0}));
}

TEST(InputScaling, SumsUpBatchAfterBatch) {
  const Context context({.threads = 2});
  const std::vector<float> low(70, -2.0F);
  const std::vector<float> high(70, 2.0F);
  std::vector<DenseRow> rows;
  for (std::size_t i = 0; i < 10'000; ++i) rows.emplace_back(i % 2 == 0 ? low : high);
  testing::RowSource source(DenseRows{rows});
  const InputScaling scaling = measure_scaling(context, source, 70);
  EXPECT_EQ(scaling.mean, std::vector<float>(70, 0.0F));
  EXPECT_EQ(scaling.scale, std::vector<float>(70, 0.5F));
}

}  // namespace
}  // namespace mhe::encoders

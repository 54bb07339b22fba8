// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/feature_batch.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "base/random.h"

namespace mhe::encoders {
namespace {

SparseMatrix random_rows(std::size_t rows, std::uint32_t num_features, std::uint64_t seed) {
  RandomStream random(seed, "feature_batch_test");
  SparseMatrix matrix;
  matrix.num_columns = num_features;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < num_features; ++column) {
      if (random.below(3) != 0 || row == 1) continue;  // one row is empty
      matrix.columns.push_back(column);
      matrix.values.push_back(static_cast<float>(random.uniform()));
    }
    matrix.end_row();
  }
  return matrix;
}

TEST(FeatureBatch, HoldsEveryEntryOnceFeaturesAndExamplesAscending) {
  for (const std::uint32_t num_features : {1U, 5U, 40U, 300U}) {
    FeatureBatch batch(num_features);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {  // the ranges are those of the first batch
      const SparseMatrix matrix = random_rows(9, num_features, seed);
      std::vector<SparseRow> inputs;
      for (std::size_t row = 0; row < matrix.rows(); ++row) inputs.push_back(matrix[row]);
      batch.assign(Context({.threads = 2}), inputs);

      std::vector<std::pair<std::uint32_t, std::uint32_t>> found;  // (feature, example)
      for (const FeatureBatch::Part& part : batch.parts()) {
        ASSERT_EQ(part.begins.size(), part.features.size() + 1);
        for (std::size_t i = 0; i < part.features.size(); ++i) {
          EXPECT_LT(part.begins[i], part.begins[i + 1]);
          for (std::size_t j = part.begins[i]; j < part.begins[i + 1]; ++j) {
            found.emplace_back(part.features[i], part.examples[j]);
            const SparseRow& input = inputs[part.examples[j]];
            const auto at = std::find(input.columns.begin(), input.columns.end(), part.features[i]);
            ASSERT_NE(at, input.columns.end());
            EXPECT_EQ(part.values[j],
                      input.values[static_cast<std::size_t>(at - input.columns.begin())]);
          }
        }
      }
      EXPECT_EQ(found.size(), matrix.nonzeros());
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
      EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
    }
  }
}

TEST(FeatureBatch, TakesABatchOfEmptyInputs) {
  FeatureBatch batch(4);
  const std::vector<SparseRow> inputs(3);
  batch.assign(Context({.threads = 2}), inputs);
  for (const FeatureBatch::Part& part : batch.parts()) EXPECT_TRUE(part.features.empty());
}

TEST(FeatureBatch, CanBeUsedAgainAfterItsScratchIsFreed) {
  const SparseMatrix matrix = random_rows(9, 40, 1);
  std::vector<SparseRow> inputs;
  for (std::size_t row = 0; row < matrix.rows(); ++row) inputs.push_back(matrix[row]);
  FeatureBatch batch(40);
  const auto count_entries = [&] {
    batch.assign(Context({.threads = 2}), inputs);
    std::size_t entries = 0;
    for (const FeatureBatch::Part& part : batch.parts()) entries += part.examples.size();
    return entries;
  };
  EXPECT_EQ(count_entries(), matrix.nonzeros());
  batch.release_scratch();
  EXPECT_TRUE(batch.parts().empty());
  EXPECT_EQ(count_entries(), matrix.nonzeros());
}

}  // namespace
}  // namespace mhe::encoders

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/description.h"

#include <string>

#include <gtest/gtest.h>

namespace mhe::data {
namespace {

TEST(Distribution, MedianOfEvenNumbersIsTheMeanOfTheMiddleTwo) {
  Distribution values;
  for (const std::uint64_t value : {9, 1, 4, 2}) values.add(value);
  EXPECT_EQ(values.min(), 1);
  EXPECT_EQ(values.max(), 9);
  EXPECT_EQ(values.median(), 3.0);
  EXPECT_EQ(values.mean(), 4.0);
  values.add(2);
  EXPECT_EQ(values.median(), 2.0);
}

TEST(Distribution, OfNothingIsZero) {
  const Distribution values;
  EXPECT_EQ(values.min(), 0);
  EXPECT_EQ(values.max(), 0);
  EXPECT_EQ(values.mean(), 0);
  EXPECT_EQ(values.median(), 0);
}

TEST(Description, CountsFeaturesAndLabelsThatOccur) {
  RowBatch batch;
  batch.rows = 2;
  batch.features.columns = {3, 9, 9};
  batch.features.values = {1, 1, 1};
  batch.features.offsets = {0, 2, 3};
  batch.labels.items = {LabelId{4}, LabelId{0}, LabelId{4}};
  batch.labels.offsets = {0, 1, 3};
  Describer describer;
  const Context context;
  describer.add(context, batch);
  describer.add(context, batch);
  EXPECT_EQ(describer.description().distinct_features, 2);
  EXPECT_EQ(describer.description().distinct_labels, 2);
  EXPECT_EQ(describer.description().label_counts, (std::vector<std::uint64_t>{2, 0, 0, 0, 4}));
  EXPECT_EQ(describer.description().features_per_row.sum(), 6);
  EXPECT_EQ(describer.description().labels_per_row.mean(), 1.5);
}

TEST(Description, MeasuresEveryTextField) {
  RowBatch batch;
  batch.rows = 1;
  batch.text.resize(2);
  batch.text[0].push_row(std::string(" one  two\tthree "));
  batch.text[1].push_row(std::string());
  Describer describer;
  describer.add(Context(), batch);
  EXPECT_EQ(describer.description().text[0].words.sum(), 3);
  EXPECT_EQ(describer.description().text[0].bytes.sum(), 16);
  EXPECT_EQ(describer.description().text[1].words.sum(), 0);
}

TEST(CountWords, SplitsAtWhiteSpaceOnly) {
  EXPECT_EQ(count_words(""), 0);
  EXPECT_EQ(count_words("don't stop\r\nnow"), 3);
}

}  // namespace
}  // namespace mhe::data

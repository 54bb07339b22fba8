// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/synthetic.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "scratch_dir.h"

namespace mhe::tasks {
namespace {

SyntheticOptions small() {
  SyntheticOptions options;
  options.rows = 700;
  options.features = 300;
  options.labels = 50;
  return options;
}

RowBatch make(const SyntheticOptions& options, std::size_t threads, std::uint64_t first,
              std::size_t count) {
  const Context context(ContextOptions{.threads = threads});
  RowBatch batch;
  SyntheticRows(options, 1).make(context, Split::kTrain, first, count, batch);
  return batch;
}

TEST(Synthetic, RowsDependOnNothingButTheirNumber) {
  const RowBatch all = make(small(), 1, 0, 700);
  const RowBatch parallel = make(small(), 3, 0, 700);
  const RowBatch part = make(small(), 2, 500, 10);
  EXPECT_EQ(all.labels, parallel.labels);
  EXPECT_EQ(all.features, parallel.features);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_TRUE(std::ranges::equal(all.labels[500 + i], part.labels[i]));
    EXPECT_TRUE(std::ranges::equal(all.features[500 + i].columns, part.features[i].columns));
    EXPECT_TRUE(std::ranges::equal(all.features[500 + i].values, part.features[i].values));
  }
}

TEST(Synthetic, HasAsManyLabelsARowAsAskedFor) {
  SyntheticOptions options = small();
  options.labels_per_row = 2.5;
  const RowBatch batch = make(options, 1, 0, 2'000);
  // A row has 2 or 3; the standard deviation of their sum is sqrt(2000) / 2 = 22.
  EXPECT_NEAR(static_cast<double>(batch.labels.items.size()), 5'000, 100);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    const auto labels = batch.labels[row];
    EXPECT_TRUE(std::ranges::is_sorted(labels));
    EXPECT_EQ(std::set(labels.begin(), labels.end()).size(), labels.size());
  }
}

TEST(Synthetic, IndependentLabelsAreDrawnOneByOne) {
  SyntheticOptions options = small();
  options.independent_labels = true;
  options.labels_per_row = 2;
  options.words_per_label = 3;
  options.words_per_row = 10;
  options.noise = 0.4;
  const RowBatch batch = make(options, 1, 0, 4'000);
  std::vector<double> count(options.labels, 0.0);
  std::size_t empty = 0;
  for (std::size_t row = 0; row < batch.rows; ++row) {
    const auto labels = batch.labels[row];
    empty += labels.empty() ? 1U : 0U;
    for (const LabelId label : labels) count[index_of(label)] += 1;
    double words = 0;  // 4 common ones, and 6 / 2 of each label
    for (const float value : batch.features[row].values)
      words += static_cast<double>(value * value);
    EXPECT_NEAR(words, 4 + 3.0 * static_cast<double>(labels.size()), 1e-3);
  }
  // Each label in 160 rows, with a standard deviation of 12.4; 0.96^50 = 0.130 of the rows, 520
  // with one of 21, have none.
  for (const double rows : count) EXPECT_NEAR(rows, 160, 62);
  EXPECT_NEAR(static_cast<double>(empty), 520, 106);
}

// Without noise all words come from the vocabularies of the row's labels.
TEST(Synthetic, CanBeLearnt) {
  SyntheticOptions options = small();
  options.noise = 0;
  options.labels_per_row = 1;
  options.words_per_label = 5;
  const RowBatch batch = make(options, 1, 0, 2'000);
  std::vector<std::set<std::uint32_t>> words(options.labels);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    const auto columns = batch.features[row].columns;
    words[index_of(batch.labels[row].front())].insert(columns.begin(), columns.end());
  }
  for (const auto& own : words) EXPECT_LE(own.size(), 5U);
}

TEST(Synthetic, RefusesWhatCannotBe) {
  const auto rejects = [](auto change) {
    SyntheticOptions options = small();
    change(options);
    EXPECT_THROW(validate(options), Error);
  };
  validate(small());
  rejects([](auto& options) { options.features = 0; });
  rejects([](auto& options) { options.labels = 5'000'000'000; });
  rejects([](auto& options) { options.labels_per_row = 30; });
  rejects([](auto& options) { options.labels_per_row = 0.5; });
  rejects([](auto& options) { options.noise = 1.5; });
  rejects([](auto& options) { options.dev_rows = -2; });
  rejects([](auto& options) { options.format = "csv"; });
  rejects([](auto& options) {
    options.independent_labels = true;
    options.labels = 200'000;
  });
}

TEST(Synthetic, WritesTheSameFilesOnAnyNumberOfThreads) {
  const testing::ScratchDir scratch;
  for (const std::size_t threads : {1U, 3U}) {
    const Context context(ContextOptions{.threads = threads});
    build_synthetic(context, small(), {scratch.file(std::to_string(threads)), Existing::kRefuse});
  }
  for (const char* name : {"train.xmc", "dev.xmc", "test.xmc", "task.json"}) {
    const std::string one = scratch.read(std::string("1/") + name);
    EXPECT_FALSE(one.empty());
    EXPECT_EQ(one, scratch.read(std::string("3/") + name));
  }
  EXPECT_TRUE(scratch.read("1/train.xmc").starts_with("700 300 50\n"));
}

}  // namespace
}  // namespace mhe::tasks

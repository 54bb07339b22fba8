// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/near_duplicates.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace mhe::data {
namespace {

RowBatch text_batch(const std::vector<std::string>& texts) {
  RowBatch batch;
  batch.text.resize(1);
  for (const std::string& text : texts) batch.text[0].push_row(text);
  batch.rows = texts.size();
  return batch;
}

RowBatch sparse_batch(const std::vector<std::vector<std::uint32_t>>& rows) {
  RowBatch batch;
  for (const auto& row : rows) {
    batch.features.columns.insert(batch.features.columns.end(), row.begin(), row.end());
    batch.features.values.resize(batch.features.columns.size(), 1.0F);
    batch.features.end_row();
  }
  batch.rows = rows.size();
  return batch;
}

// Words w<first> .. w<last - 1>.
std::string words(int first, int last) {
  std::string text;
  for (int i = first; i < last; ++i) text += fmt::format("w{} ", i);
  return text;
}

NearDuplicateReport compare(const RowBatch& sought, const RowBatch& other,
                            const NearDuplicateOptions& options = {}, std::size_t threads = 2) {
  const Context context(ContextOptions{.threads = threads});
  NearDuplicates duplicates(options);
  duplicates.add(context, sought);
  duplicates.match(context, other);
  return duplicates.report();
}

TEST(NearDuplicates, EstimatesJaccardSimilarity) {
  // 100 shared words of 100 + 2 * extra: 100 / (100 + 2 extra).
  for (const int extra : {0, 5, 12, 50, 400}) {
    double sum = 0;
    constexpr int kTrials = 50;
    for (int trial = 0; trial < kTrials; ++trial) {
      const int shift = trial * 10'000;
      const RowBatch batch =
          text_batch({words(shift, shift + 100 + extra),
                      words(shift, shift + 100) + words(shift + 5000, shift + 5000 + extra)});
      sum += estimate_similarity(make_row_print(batch, 0), make_row_print(batch, 1));
    }
    // The mean of 50 estimates, each with a standard error of at most 0.5 / sqrt(128): 0.0063;
    // four of them.
    EXPECT_NEAR(sum / kTrials, 100.0 / (100 + 2 * extra), 0.025) << extra;
  }
}

TEST(NearDuplicates, EstimatesForSetsMuchSmallerThanTheSignature) {
  double sum = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    const int first = trial * 100;
    const RowBatch batch = text_batch({words(first, first + 4), words(first + 1, first + 5)});
    sum += estimate_similarity(make_row_print(batch, 0), make_row_print(batch, 1));
  }
  EXPECT_NEAR(sum / kTrials, 3.0 / 5, 0.02);  // five standard errors of about 0.0035
}

TEST(NearDuplicates, CountsExactCopiesAndNearOnes) {
  const RowBatch sought = text_batch({words(0, 50), words(100, 150), words(200, 250), ""});
  const RowBatch other = text_batch({words(0, 50), words(100, 149) + "else", words(900, 950), ""});
  const NearDuplicateReport report = compare(sought, other);
  EXPECT_EQ(report.rows, 4);
  EXPECT_EQ(report.empty_rows, 1);
  EXPECT_EQ(report.looked_for, 3);
  EXPECT_EQ(report.exact, 1);
  EXPECT_EQ(report.near, 2);
}

TEST(NearDuplicates, IgnoresOrderCaseAndPunctuationOfWords) {
  const NearDuplicateReport report =
      compare(text_batch({"The cat, the dog!"}), text_batch({"dog: (the) CAT"}));
  EXPECT_EQ(report.exact, 0);
  EXPECT_EQ(report.near, 1);
}

TEST(NearDuplicates, TellsFieldsApartInExactCopies) {
  RowBatch a;
  RowBatch b;
  a.text.resize(2);
  b.text.resize(2);
  a.text[0].push_row(std::string("x y"));
  a.text[1].push_row(std::string("z"));
  b.text[0].push_row(std::string("x "));
  b.text[1].push_row(std::string("yz"));
  a.rows = b.rows = 1;
  EXPECT_EQ(compare(a, b).exact, 0);
}

TEST(NearDuplicates, CountsEveryOneOfEqualRows) {
  const NearDuplicateReport report =
      compare(text_batch({"a b c", "a b c", "c b a"}), text_batch({"a b c"}));
  EXPECT_EQ(report.exact, 2);
  EXPECT_EQ(report.near, 3);
}

TEST(NearDuplicates, ComparesFeatureSets) {
  std::vector<std::uint32_t> row;
  for (std::uint32_t i = 0; i < 60; ++i) row.push_back(i);
  std::vector<std::uint32_t> near = row;
  near.back() = 1000;
  const NearDuplicateReport report = compare(sparse_batch({row, {7, 8}}), sparse_batch({near}));
  EXPECT_EQ(report.exact, 0);
  EXPECT_EQ(report.near, 1);
}

TEST(NearDuplicates, DenseRowsAreComparedAsAWhole) {
  RowBatch batch;
  batch.dense.num_columns = 2;
  batch.dense.values = {1, 2, 3, 4};
  batch.rows = 2;
  RowBatch other = batch;
  other.dense.values = {1, 2, 3, 5};
  const NearDuplicateReport report = compare(batch, other);
  EXPECT_EQ(report.looked_for, 2);
  EXPECT_EQ(report.exact, 1);
  EXPECT_EQ(report.near, 1);
}

TEST(NearDuplicates, TextWithoutWordsIsComparedAsAWhole) {
  const NearDuplicateReport report = compare(text_batch({"!!", "??"}), text_batch({"!!"}));
  EXPECT_EQ(report.exact, 1);
  EXPECT_EQ(report.near, 1);
}

RowBatch random_texts(std::uint64_t seed, std::size_t rows) {
  std::mt19937_64 random(seed);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < rows; ++i) {
    const int first = static_cast<int>(random() % 400) * 5;
    texts.push_back(words(first, first + 20 + static_cast<int>(random() % 8)));
  }
  return text_batch(texts);
}

TEST(NearDuplicates, ThreadsAndBatchesChangeNothing) {
  const RowBatch sought = random_texts(1, 300);
  const RowBatch other = random_texts(2, 300);
  const NearDuplicateReport one = compare(sought, other, {}, 1);
  const NearDuplicateReport four = compare(sought, other, {}, 4);
  EXPECT_GT(one.near, one.exact);
  EXPECT_LT(one.near, 300);
  EXPECT_EQ(one.near, four.near);
  EXPECT_EQ(one.exact, four.exact);
  const Context context;
  NearDuplicates halves;
  halves.add(context, sought);
  RowBatch first = other;
  RowBatch second;
  second.text.resize(1);
  for (std::size_t row = 150; row < 300; ++row) second.text[0].push_row(other.text[0][row]);
  first.rows = second.rows = 150;
  halves.match(context, first);
  halves.match(context, second);
  EXPECT_EQ(halves.report().near, one.near);
}

TEST(NearDuplicates, LooksForARandomPartOfVeryManyRows) {
  std::vector<std::string> texts;
  for (int i = 0; i < 4000; ++i) texts.push_back(words(i * 30, i * 30 + 20));
  const RowBatch all = text_batch(texts);
  texts.resize(2000);
  const NearDuplicateReport report = compare(all, text_batch(texts), {.max_rows = 1000});
  EXPECT_EQ(report.rows, 4000);
  EXPECT_LE(report.looked_for, 1000);
  EXPECT_GE(report.looked_for, 400);  // 500 on average if halved three times; sd 21
  const double share = static_cast<double>(report.exact) / static_cast<double>(report.looked_for);
  EXPECT_NEAR(share, 0.5, 0.1);  // four standard errors: 4 * 0.5 / sqrt(400)
}

}  // namespace
}  // namespace mhe::data

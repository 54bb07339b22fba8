// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/training_set.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "scratch_dir.h"
#include "toy_training.h"
#include "train/text_rules.h"

namespace mhe::train {
namespace {

using testing::toy_rows;
using testing::toy_set;

// A row as one value that can be compared and found.
using Row = std::tuple<std::vector<std::uint32_t>, std::vector<float>, std::vector<LabelId>>;

std::vector<Row> rows_of(const Examples& examples) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    const SparseRow features = examples.features[i];
    const auto labels = examples.labels[i];
    rows.push_back({{features.columns.begin(), features.columns.end()},
                    {features.values.begin(), features.values.end()},
                    {labels.begin(), labels.end()}});
  }
  return rows;
}

bool is_subsequence(const std::vector<Row>& part, const std::vector<Row>& whole) {
  std::size_t next = 0;
  for (const Row& row : whole) {
    if (next < part.size() && part[next] == row) ++next;
  }
  return next == part.size();
}

TEST(HoldOut, KeepsEveryRowOnceAndInOrder) {
  for (const std::size_t count : {0U, 1U, 7U, 99U, 100U}) {
    Examples rest = toy_set(toy_rows(100, 20), 20).examples;
    const std::vector<Row> all = rows_of(rest);
    const Examples taken = hold_out(rest, count, 1);
    ASSERT_EQ(taken.rows(), count);
    ASSERT_EQ(rest.rows(), 100 - count);
    EXPECT_EQ(taken.features.rows(), count);
    EXPECT_EQ(rest.features.rows(), 100 - count);
    EXPECT_EQ(taken.features.num_columns, rest.features.num_columns);
    EXPECT_TRUE(is_subsequence(rows_of(taken), all)) << count;
    EXPECT_TRUE(is_subsequence(rows_of(rest), all)) << count;
    std::vector<Row> both = rows_of(taken);
    for (Row& row : rows_of(rest)) both.push_back(std::move(row));
    EXPECT_TRUE(std::is_permutation(both.begin(), both.end(), all.begin(), all.end())) << count;
  }
}

TEST(HoldOut, ChoosesBySeed) {
  const auto taken = [](std::uint64_t seed) {
    Examples examples = toy_set(toy_rows(100, 20), 20).examples;
    return rows_of(hold_out(examples, 10, seed));
  };
  EXPECT_EQ(taken(1), taken(1));
  EXPECT_NE(taken(1), taken(2));
}

TEST(TrimLabels, DropsRareLabelsAndNumbersTheOthersAnew) {
  TrainingSet set = toy_set(toy_rows(90, 30), 30);
  const TrainingSet before = set;
  const auto counts = count_labels(before.examples.labels, 30);
  const std::size_t min_count = 4;
  const auto rare = static_cast<std::size_t>(
      std::count_if(counts.begin(), counts.end(), [&](auto count) { return count < min_count; }));
  ASSERT_GT(rare, 0U);
  ASSERT_LT(rare, 28U);
  EXPECT_EQ(trim_labels(set, {.min_count = min_count}), rare);
  EXPECT_EQ(set.names.size(), 30 - rare);
  EXPECT_EQ(set.examples.features, before.examples.features);
  ASSERT_EQ(set.examples.rows(), 90U);
  for (std::size_t row = 0; row < 90; ++row) {
    std::vector<std::string> expected;
    for (const LabelId label : before.examples.labels[row]) {
      if (counts[index_of(label)] >= min_count) expected.push_back(before.names.name(label));
    }
    std::vector<std::string> found;
    for (const LabelId label : set.examples.labels[row]) found.push_back(set.names.name(label));
    EXPECT_EQ(found, expected) << row;
  }
}

TEST(TrimLabels, TakesNothingForLabelsThatOccurNowhere) {
  TrainingSet set = toy_set(toy_rows(90, 30), 30);
  TrainingSet vast = set;
  vast.names = LabelNames();
  vast.names.extend_numbered(4'000'000'000);  // a number for each would take 16 GB
  EXPECT_EQ(trim_labels(vast, {.min_count = 4}),
            4'000'000'000 - 30 + trim_labels(set, {.min_count = 4}));
  EXPECT_EQ(vast.examples.labels.items, set.examples.labels.items);
}

TEST(TrimLabels, LeavesTheRarestOutByNumberAndByShare) {
  const TrainingSet before = toy_set(toy_rows(90, 30), 30);
  const std::vector<std::uint32_t> counts = count_labels(before.examples.labels, 30);
  for (const TrimRule& rule : {TrimRule{.rarest = 7}, TrimRule{.per_cent = 25}}) {
    TrainingSet set = before;
    EXPECT_EQ(trim_labels(set, rule), 7U) << "a quarter of 30 labels, rounded down";
    // The rarer first, of equal ones the larger id.
    std::vector<std::pair<std::uint32_t, int>> by_count;
    for (int label = 0; label < 30; ++label) {
      by_count.push_back({counts[static_cast<std::size_t>(label)], -label});
    }
    std::sort(by_count.begin(), by_count.end());
    for (std::size_t i = 0; i < 30; ++i) {
      const std::string name = std::to_string(-by_count[i].second);
      EXPECT_EQ(set.names.find(name).has_value(), i >= 7) << name;
    }
  }
}

TEST(TrimLabels, CountsTheShareAmongLabelsThatOccur) {
  TrainingSet set = toy_set(toy_rows(90, 30), 30);
  set.names = LabelNames();
  set.names.extend_numbered(1000);
  EXPECT_EQ(trim_labels(set, {.per_cent = 50}), 1000U - 15U);
  EXPECT_EQ(set.names.size(), 15U);
}

TrimRule rule_of(const std::string& trim, std::size_t min_count = 1) {
  TrainOptions options;
  options.trim_labels = trim;
  options.min_label_count = min_count;
  return trim_rule_of(options);
}

TEST(TrimRule, IsANumberOrAShare) {
  EXPECT_TRUE(rule_of("0").is_none());
  EXPECT_TRUE(rule_of("0%").is_none());
  EXPECT_EQ(rule_of("40").rarest, 40U);
  EXPECT_EQ(rule_of("12.5%").per_cent, 12.5);
  EXPECT_EQ(rule_of("0", 3).min_count, 3U);
  for (const char* bad : {"", "%", "-1", "0.25", "25 %", "100%", "-5%", "nan%", "inf%", "1e2"}) {
    EXPECT_THROW((void)rule_of(bad), Error) << bad;
  }
}

TEST(TrimRule, IsOneOfTwo) {
  EXPECT_NO_THROW((void)rule_of("25%", 1));
  EXPECT_THROW((void)rule_of("25%", 2), Error);
  EXPECT_THROW((void)rule_of("3", 2), Error);
}

TEST(TrimLabels, LeavesAllWhereOneRowIsEnough) {
  TrainingSet set = toy_set(toy_rows(10, 30), 30);  // most labels have no row
  EXPECT_EQ(trim_labels(set, {.min_count = 1}), 0U);
  EXPECT_EQ(set.names.size(), 30U);
}

TEST(TrimLabels, RefusesToLeaveFewerThanTwo) {
  TrainingSet set = toy_set(toy_rows(90, 30), 30);
  try {
    (void)trim_labels(set, {.min_count = 1000});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidData);
    EXPECT_STREQ(error.what(), "0 of 30 labels have at least 1000 rows; learning needs 2");
  }
}

class ReadSetTest : public ::testing::Test {
 protected:
  TrainingSet read(const std::string& path, std::size_t threads = 2) {
    const Context context({.threads = threads});
    return read_training_set(context, testing::read_from(path),
                             {.text = TrainOptions().text, .rule = choose_text_options});
  }
  testing::ScratchDir dir_;
};

TEST_F(ReadSetTest, IsTheSameForAnyThreads) {
  std::string texts;
  for (int i = 0; i < 300; ++i) {
    texts += fmt::format("__label__l{} word{} and word{} of {}\n", i % 9, i % 9, i % 7, i % 50);
  }
  const std::string text_path = dir_.write("texts.txt", texts);
  const std::string sparse_path = dir_.write("sparse.txt", svmlight(toy_rows(300, 20)));
  for (const std::string& path : {text_path, sparse_path}) {
    const TrainingSet one = read(path, 1);
    const TrainingSet four = read(path, 4);
    EXPECT_EQ(one.examples.features, four.examples.features);
    EXPECT_EQ(one.examples.labels, four.examples.labels);
    EXPECT_EQ(one.examples.rows(), 300U);
    EXPECT_EQ(one.vectorizer.has_value(), path == text_path);
  }
}

TEST_F(ReadSetTest, ScalesRowsToLengthOne) {
  const TrainingSet set = read(dir_.write("sparse.txt", "0 1:3 2:4\n1 0:0.5\n"));
  EXPECT_EQ(set.examples.features.values, (std::vector<float>{0.6F, 0.8F, 1.0F}));
}

TEST_F(ReadSetTest, ReadsMoreWithTheSameColumnsAndNames) {
  const TrainingSet set = read(dir_.write(
      "train.txt", "__label__a red apple\n__label__b green pear\n__label__a red red pear apple\n"));
  const Context context({.threads = 1});
  const Examples more = read_more(
      context,
      testing::read_from(dir_.write("more.txt", "__label__b,c green plum\n__label__c red apple\n")),
      set);
  ASSERT_EQ(more.rows(), 2U);
  EXPECT_EQ(more.labels[0].size() + more.labels[1].size() > 0, true);
  EXPECT_EQ(more.labels[0][0], LabelId{2});  // "b,c" is one name here, and new
  EXPECT_EQ(more.labels[1][0], LabelId{3});
  EXPECT_EQ(more.features.num_columns, set.examples.features.num_columns);
  EXPECT_EQ(set.names.size(), 2U);
}

TEST_F(ReadSetTest, RefusesOtherKindsOfMoreData) {
  const TrainingSet set = read(dir_.write("train.txt", "__label__a red\n__label__b red\n"));
  const Context context({.threads = 1});
  EXPECT_THROW(
      (void)read_more(context, testing::read_from(dir_.write("more.txt", "0 1:1\n1 2:1\n")), set),
      Error);
}

TEST_F(ReadSetTest, RefusesRowsToJudgeByThatHaveNoLabels) {
  const TrainingSet set = read(dir_.write("train.txt", "__label__a red\n__label__b red\n"));
  const Context context({.threads = 1});
  try {
    (void)read_more(context, testing::read_from(dir_.write("more.csv", "text,label\nred,\n")), set);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidData);
    EXPECT_NE(std::string(error.what()).find("more.csv: no row has a label"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace mhe::train

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/name_rows.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"
#include "data/open_format.h"
#include "scratch_dir.h"
#include "toy_training.h"
#include "train/options.h"
#include "train/text_rules.h"
#include "train/training_set.h"

namespace mhe::train {
namespace {

constexpr std::size_t kLabels = 60;
constexpr std::size_t kRows = 600;

// Names of one rare word each; rows have two labels.
std::string name_of(std::size_t label) {
  return fmt::format("thing{:c}{:c}", 'a' + static_cast<int>(label / 8),
                     'a' + static_cast<int>(label % 8));
}

enum class Texts : std::uint8_t { kHoldNames, kHoldOtherWords };

// fastText lines whose texts hold the words of their labels' names, or others.
std::string lines(Texts texts) {
  std::string all;
  for (std::size_t row = 0; row < kRows; ++row) {
    RandomStream random(1, "name_rows_test", row);
    const std::size_t labels[] = {row % kLabels, random.below(kLabels)};
    std::string text;
    for (const std::size_t label : labels) {
      all += fmt::format("__label__{} ", name_of(label));
      text += texts == Texts::kHoldNames ? name_of(label) : fmt::format("word{}", label);
      text += fmt::format(" common{} ", random.below(9));
    }
    all += text + "\n";
  }
  return all;
}

class NameRowsTest : public ::testing::Test {
 protected:
  TrainingSet read(Texts texts, const std::string& label_text) {
    const Context context({.threads = 2});
    const std::string path = dir_.write("rows.txt", lines(texts));
    return read_training_set(
        context, testing::read_from(path),
        {.text = TrainOptions().text, .rule = choose_text_options, .label_text = label_text});
  }
  testing::ScratchDir dir_;
};

TEST_F(NameRowsTest, ArePartOfASetWhereRowsResembleThem) {
  const TrainingSet set = read(Texts::kHoldNames, "auto");
  EXPECT_EQ(set.examples.rows(), kRows);
  EXPECT_EQ(set.examples.features.rows(), kRows);
  ASSERT_EQ(set.name_rows.rows(), kLabels);
  ASSERT_EQ(set.name_rows.features.rows(), kLabels);
  for (std::size_t row = 0; row < kLabels; ++row) {
    const std::string name = set.names.name(set.name_rows.labels[row][0]);
    bool has_word = false;
    for (const std::uint32_t column : set.name_rows.features[row].columns) {
      has_word = has_word || set.vectorizer->feature_name(FeatureId{column}) == name;
    }
    EXPECT_TRUE(has_word) << name;
  }
}

TEST_F(NameRowsTest, AreLeftOutWhereRowsHaveNothingOfThem) {
  EXPECT_EQ(read(Texts::kHoldOtherWords, "auto").name_rows.rows(), 0U);
  EXPECT_EQ(read(Texts::kHoldNames, "no").name_rows.rows(), 0U);
}

TEST_F(NameRowsTest, LeaveTheRowsOfTheDataAlone) {
  // The vocabulary counts the names too, so values differ; which words a row has does not.
  const TrainingSet with = read(Texts::kHoldNames, "yes");
  const TrainingSet without = read(Texts::kHoldNames, "no");
  EXPECT_EQ(with.examples.labels, without.examples.labels);
  EXPECT_EQ(with.examples.features.offsets, without.examples.features.offsets);
}

TEST_F(NameRowsTest, FollowTheLabelsThatAreTrimmed) {
  TrainingSet set = read(Texts::kHoldNames, "yes");
  const std::size_t gone = trim_labels(set, {.min_count = 20});
  ASSERT_GT(gone, 0U);
  ASSERT_EQ(set.name_rows.rows(), kLabels - gone);
  for (std::uint32_t row = 0; row < set.name_rows.rows(); ++row) {
    EXPECT_EQ(set.name_rows.labels[row][0], LabelId{row});
  }
}

TEST_F(NameRowsTest, BecomeRowsLikeOthers) {
  TrainingSet set = read(Texts::kHoldNames, "yes");
  train_on_names(set);
  EXPECT_EQ(set.examples.rows(), kRows + kLabels);
  EXPECT_EQ(set.examples.features.rows(), kRows + kLabels);
  EXPECT_EQ(set.name_rows.rows(), 0U);
}

// Rows of a field of so many bytes.
std::vector<Strings> texts_of(std::size_t rows, std::size_t bytes) {
  std::vector<Strings> texts(1);
  const std::string text(bytes, 'a');
  for (std::size_t row = 0; row < rows; ++row) texts[0].push_row({text.data(), text.size()});
  return texts;
}

TEST(JudgingRows, AreTwoThousandAtMost) {
  EXPECT_EQ(count_sample_rows(texts_of(1500, 10)), 1500U);
  EXPECT_FALSE(is_sample_whole(texts_of(1500, 10)));
  EXPECT_EQ(count_sample_rows(texts_of(3000, 10)), 2000U);
  EXPECT_TRUE(is_sample_whole(texts_of(3000, 10)));
}

TEST(JudgingRows, AreFewerOfLongTexts) {
  EXPECT_EQ(count_sample_rows(texts_of(1500, 2048)), 512U);
  EXPECT_TRUE(is_sample_whole(texts_of(1500, 2048)));
  EXPECT_EQ(count_sample_rows(texts_of(300, 65536)), 256U);
  EXPECT_FALSE(is_sample_whole(texts_of(200, 65536)));
}

// The first rows, more bytes than a reader takes at a time, are of labels whose names tell nothing.
TEST(JudgingRows, AreTheSameFromAFileAndFromMemory) {
  const std::string filler(30'000, 'x');
  std::string file;
  DatasetBuilder rows = DatasetBuilder::of_texts();
  for (std::size_t row = 0; row < 600; ++row) {
    RandomStream random(1, "name_rows_test", row);
    const std::string name = name_of(random.below(kLabels));
    const std::string text = row < 50 ? filler : fmt::format("{} common{}", name, row % 9);
    file += fmt::format("__label__{} {}\n", name, text);
    rows.add(text, {name});
  }
  testing::ScratchDir dir;
  const Context context({.threads = 2});
  const Reading how = {
      .text = TrainOptions().text, .rule = choose_text_options, .label_text = "auto"};
  const TrainingSet read =
      read_training_set(context, testing::read_from(dir.write("rows.txt", file)), how);
  const TrainingSet made = read_training_set(context, std::move(rows).build(), how);
  EXPECT_EQ(read.name_rows.rows(), made.name_rows.rows());
  EXPECT_EQ(read.examples.features.columns, made.examples.features.columns);
  EXPECT_EQ(read.examples.features.values, made.examples.features.values);
}

TEST(LabelText, IsOneOfThreeWords) {
  TrainOptions options;
  options.label_text = "perhaps";
  EXPECT_THROW(validate(options), Error);
  for (const char* choice : {"yes", "no", "auto"}) {
    options.label_text = choice;
    EXPECT_NO_THROW(validate(options)) << choice;
  }
}

TEST(LabelText, OfNumbersIsNone) {
  const Context context({.threads = 1});
  Strings texts;
  Ragged<LabelId> labels;
  for (std::uint32_t row = 0; row < 400; ++row) {
    const std::string text = std::to_string(row % 20);
    texts.push_row({text.data(), text.size()});
    labels.items.push_back(LabelId{row % 20});
    labels.end_row();
  }
  EXPECT_FALSE(
      do_names_tell(context, {{&texts, 1}, labels}, LabelNames::numbered(20), TextOptions()));
}

}  // namespace
}  // namespace mhe::train

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/definition_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mhe::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts_of(const std::vector<DefinitionRow>& rows) {
  std::vector<std::string> texts;
  for (const DefinitionRow& row : rows) texts.push_back(row.text);
  return texts;
}

// Two more rows of a label, so that it is not rare.
void make_frequent(const std::string& label, std::vector<DefinitionRow>& rows) {
  rows.push_back({Split::kTrain, "first filler of " + label + "x", {label}});
  rows.push_back({Split::kTrain, "second filler for " + label + "x", {label}});
}

DefinitionLosses guard(std::vector<DefinitionRow>& rows) {
  return guard_definitions(Context(), WordForms(), rows);
}

TEST(LabelOfWord, IsInLowerCaseAndWithoutCommas) {
  EXPECT_EQ(label_of_word(" Jumbo  Jet"), "jumbo jet");
  EXPECT_EQ(label_of_word("a, b"), "");
  EXPECT_EQ(label_of_word("--"), "");
}

TEST(NearDuplicates, ShareMostOfTheirWords) {
  const auto near = [](std::string_view a, std::string_view b) {
    return are_near_duplicates(word_hashes(a), word_hashes(b));
  };
  EXPECT_TRUE(near("used to slow a car", "Used to slow a car!"));
  EXPECT_TRUE(near("lacking strength or vigor", "lacking strength or vigor; weakened"));
  EXPECT_TRUE(near("a b c d e", "x y z a b c d e f g h")) << "contained";
  EXPECT_FALSE(near("a swaggering show of courage", "a false show of courage now"));
  EXPECT_FALSE(near("a b", "a b c d")) << "too short to tell";
  EXPECT_FALSE(near("", ""));
}

TEST(GuardDefinitions, TakesHeadwordsOutAndDropsWhatIsThenTooShort) {
  std::vector<DefinitionRow> rows = {{Split::kTrain, "a cat and more cats", {"cat"}},
                                     {Split::kTrain, "one cat", {"cat"}}};
  make_frequent("cat", rows);
  const DefinitionLosses losses = guard(rows);
  EXPECT_EQ(losses.too_short, 1U);
  EXPECT_EQ(rows.front().text, "a and more");
  EXPECT_EQ(rows.size(), 3U);
}

TEST(GuardDefinitions, DropsNearDuplicatesOfHeldOutOnesOfTheSameWordOnly) {
  std::vector<DefinitionRow> rows = {
      {Split::kTest, "device that slows a vehicle", {"brake"}},
      {Split::kDev, "device that slows a vehicle now", {"brake"}},
      {Split::kTrain, "a device that slows the vehicle", {"brake"}},
      {Split::kTrain, "device that slows a vehicle", {"stopper"}},
      {Split::kTrain, "thicket of ferns", {"brake"}},
  };
  make_frequent("brake", rows);
  make_frequent("stopper", rows);
  EXPECT_EQ(guard(rows).near_duplicates, 2U);
  EXPECT_EQ(rows[0].split, Split::kTest);
  EXPECT_EQ(rows[1].labels.front(), "stopper");
  EXPECT_EQ(rows[2].text, "thicket of ferns");
}

TEST(GuardDefinitions, DropsRepeatedAndAmbiguousTexts) {
  std::vector<DefinitionRow> rows;
  for (int i = 0; i < 11; ++i) {
    const std::string name = "name" + std::to_string(i);
    rows.push_back({Split::kTrain, "Male given name", {name}});
    rows.push_back({Split::kTrain, "male given name.", {name}});
    make_frequent(name, rows);
  }
  const DefinitionLosses losses = guard(rows);
  EXPECT_EQ(losses.repeated, 11U);
  EXPECT_EQ(losses.ambiguous, 11U);
  EXPECT_EQ(rows.size(), 22U);
}

TEST(GuardDefinitions, KeepsOnlyLabelsWithTwoTrainingRows) {
  std::vector<DefinitionRow> rows = {{Split::kTest, "held out text", {"common", "unseen"}},
                                     {Split::kTest, "another held out", {"unseen"}},
                                     {Split::kTrain, "only one row", {"rare"}}};
  make_frequent("common", rows);
  EXPECT_EQ(guard(rows).rare_labels, 2U);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows.front().labels, ElementsAre("common"));
}

TEST(GuardDefinitions, CutsLongTexts) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "w" + std::to_string(i) + " ";
  std::vector<DefinitionRow> rows = {{Split::kTrain, text, {"x"}}};
  make_frequent("x", rows);
  guard(rows);
  EXPECT_TRUE(rows.front().text.ends_with(" w79"));
}

TEST(GuardDefinitions, TakesNothingToo) {
  std::vector<DefinitionRow> rows;
  guard(rows);
  EXPECT_THAT(texts_of(rows), IsEmpty());
}

}  // namespace
}  // namespace mhe::tasks

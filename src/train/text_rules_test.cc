// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/text_rules.h"

#include <gtest/gtest.h>

namespace mhe::train {
namespace {

TEST(TextRule, FavoursTheFirstOfSeveralColumns) {
  TextOptions text = TrainOptions().text;
  choose_text_options({{"title", "body"}, 5000, 256}, text);
  ASSERT_EQ(text.fields.size(), 2U);
  EXPECT_EQ(text.fields[0].name, "title");
  EXPECT_TRUE(text.fields[0].own);
  EXPECT_EQ(text.fields[0].word_ngrams, 2U);
  EXPECT_FALSE(text.fields[1].own);
  EXPECT_EQ(text.word_ngrams, 1U);
  EXPECT_EQ(text.min_token_length, 2U);
  EXPECT_EQ(text.min_df, 2U);
}

TEST(TextRule, ManyShortTextsLoseWhatTwoOfThemHold) {
  TextOptions text = TrainOptions().text;
  choose_text_options({{"text"}, 100, 256}, text);
  EXPECT_EQ(text.min_df, 3U);
  EXPECT_EQ(text.min_token_length, 1U);
}

TEST(TextRule, ShortTextsOfOneColumnGetPairsAndCharacters) {
  TextOptions text = TrainOptions().text;
  choose_text_options({{"text"}, 100, 20}, text);
  ASSERT_EQ(text.fields.size(), 1U);
  EXPECT_EQ(text.word_ngrams, 2U);
  EXPECT_EQ(text.fields[0].first_words, 3U);
  EXPECT_EQ(text.fields[0].char_max, 5U);
}

}  // namespace
}  // namespace mhe::train

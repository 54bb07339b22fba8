// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/tokenize.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "text/hash.h"
#include "text/random_text.h"
#include "text/reference.h"

namespace mhe::text {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> words_with(Gaps gaps, std::string_view text, std::uint32_t min_length) {
  Tokenizer tokenizer(min_length, gaps);
  TokenBuffer buffer;
  tokenizer.append(text, buffer);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < buffer.tokens().size(); ++i) {
    found.emplace_back(buffer[i]);
    EXPECT_EQ(buffer.tokens()[i].hash, hash_bytes(found.back()));
  }
  return found;
}

std::vector<std::string> words(std::string_view text, std::uint32_t min_length = 1) {
  std::vector<std::string> found = words_with(Gaps::kOneSpace, text, min_length);
  EXPECT_EQ(words_with(Gaps::kAny, text, min_length), found);
  return found;
}

TEST(Tokenizer, SplitsAtEverythingButLettersAndDigits) {
  EXPECT_THAT(words("The Common-Fisheries policy, 2nd ed. (1983)_x"),
              ElementsAre("the", "common", "fisheries", "policy", "2nd", "ed", "1983", "x"));
  EXPECT_THAT(words("don't l\u2019eau"), ElementsAre("don", "t", "l", "eau"));
  EXPECT_THAT(words(""), IsEmpty());
  EXPECT_THAT(words(" \t\r\n.,;"), IsEmpty());
}

TEST(Tokenizer, KnowsEveryAsciiByte) {
  for (int byte = 0; byte < 128; ++byte) {
    const auto c = static_cast<char>(byte);
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const std::string text = std::string("x") + c + "y";
    EXPECT_EQ(words(text).size(), is_word ? 1U : 2U) << byte;
  }
}

TEST(Tokenizer, FindsWordsAcrossBlocksOfAnyLength) {
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string word(size, 'Q');
    const std::string small(size, 'q');
    const auto found = words(word + " b");
    ASSERT_EQ(found.size(), size == 0 ? 1U : 2U);
    EXPECT_EQ(found[0], size == 0 ? "b" : small);
    EXPECT_EQ(words(std::string(size, ' ') + "end"), std::vector<std::string>{"end"});
  }
}

TEST(Tokenizer, FoldsCaseFully) {
  EXPECT_THAT(words("STRASSE stra\u00dfe \u1e9e"), ElementsAre("strasse", "strasse", "ss"));
  EXPECT_THAT(words("\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2"),
              ElementsAre("\u03c3\u03af\u03c3\u03c5\u03c6\u03bf\u03c3"));
  EXPECT_THAT(words("\u0130stanbul"), ElementsAre("i\u0307stanbul"));  // I with a dot above
}

TEST(Tokenizer, MakesCompatibleFormsOne) {
  EXPECT_THAT(words("\ufb01sh \uff26\uff35\uff2c\uff2c\u3000m\u00b2 \u2460 \u00bd"),
              ElementsAre("fish", "full", "m2", "1", "1", "2"));
}

TEST(Tokenizer, ComposesAccents) {
  EXPECT_THAT(words("caf\u00e9 cafe\u0301 CAFE\u0301"),
              ElementsAre("caf\u00e9", "caf\u00e9", "caf\u00e9"));
  EXPECT_THAT(words("q\u0301x"), ElementsAre("q\u0301x"));     // has no composed form
  EXPECT_THAT(words("\u0301 \u0301a"), ElementsAre("a"));      // a mark starts no word
  EXPECT_THAT(words("e\u00ad\u0301"), ElementsAre("\u00e9"));  // the soft hyphen goes first
}

TEST(Tokenizer, DropsInvisibleCharacters) {
  EXPECT_THAT(words("\ufeffco\u00adop\u200bera\u200dte"), ElementsAre("cooperate"));
}

TEST(Tokenizer, SeparatesAtEmojiAndOtherSymbols) {
  EXPECT_THAT(words("fish\U0001F41Fchips \u20ac5 \u2014 x"),
              ElementsAre("fish", "chips", "5", "x"));
}

TEST(Tokenizer, TakesEachLetterOfScriptsWithoutSpacesAsAWord) {
  EXPECT_THAT(words("\u4e2d\u56fdA1\u65e5"), ElementsAre("\u4e2d", "\u56fd", "a1", "\u65e5"));
  EXPECT_THAT(words("\u304b\u3099\u30ad"), ElementsAre("\u304c", "\u30ad"));
  EXPECT_THAT(words("\u0e01\u0e49\u0e32"), ElementsAre("\u0e01\u0e49", "\u0e32"));  // with its mark
  EXPECT_THAT(words("\U00020000x"), ElementsAre("\U00020000", "x"));
  EXPECT_THAT(words("\ud55c\uad6d \uc0ac\ub78c"), ElementsAre("\ud55c\uad6d", "\uc0ac\ub78c"));
}

TEST(Tokenizer, TreatsInvalidUtf8AsASeparator) {
  EXPECT_THAT(words("ab\xff"
                    "cd\xe4\xb8"),
              ElementsAre("ab", "cd"));
  EXPECT_THAT(words("x\xc3"
                    "A\xf0\x9f\x98"),
              ElementsAre("x", "a"));
  EXPECT_THAT(words("\xed\xa0\x80y"), ElementsAre("y"));  // half of a surrogate pair
  EXPECT_THAT(words("\xc0\xaf"), IsEmpty());              // an overlong slash
}

TEST(Tokenizer, SkipsWordsShorterThanAsked) {
  EXPECT_THAT(words("a be see \u00e9\u00e9 \u4e2d", 3), ElementsAre("see", "\u4e2d"));
  EXPECT_THAT(words("a be \u00e9\u00e9 \u00e9", 2), ElementsAre("be", "\u00e9\u00e9"));
}

TEST(Tokenizer, AppendsTextAfterText) {
  Tokenizer tokenizer;
  TokenBuffer buffer;
  tokenizer.append("one two", buffer);
  tokenizer.append("three", buffer);
  ASSERT_EQ(buffer.tokens().size(), 3U);
  EXPECT_EQ(buffer[1], "two");
  EXPECT_EQ(buffer[2], "three");
}

TEST(Tokenizer, AgreesWithThePlainWayOnRandomText) {
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    RandomStream random(seed, "tokenize");
    const std::string text = random_text(random, 40);
    const auto min_length = static_cast<std::uint32_t>(1 + random.below(3));
    std::vector<std::string> expected;
    for (const auto& word : reference::words(text, min_length))
      expected.push_back(reference::join(word));
    ASSERT_EQ(words(text, min_length), expected) << "seed " << seed << ": " << text;
  }
}

TEST(Tokenizer, AgreesWithThePlainWayOnEveryCodePoint) {
  for (std::uint32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    if (c >= 0x40000 && c < 0xE0000) continue;  // nothing is assigned there
    std::string text = "x";
    append_code_point(text, c);
    text += "y";
    std::vector<std::string> expected;
    for (const auto& word : reference::words(text)) expected.push_back(reference::join(word));
    ASSERT_EQ(words(text), expected) << c;
  }
}

}  // namespace
}  // namespace mhe::text

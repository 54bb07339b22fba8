// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/analyze.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/hash.h"

namespace mhe::text {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Terms as "part:spelling".
std::vector<std::string> terms(const TextOptions& options,
                               const std::vector<std::string_view>& fields) {
  const std::vector<Part> parts = make_parts(options);
  Analyzer analyzer(parts, options.min_token_length);
  std::vector<std::string> found;
  for (const Term& term : analyzer.analyze(fields)) {
    found.push_back(std::to_string(term.part) + ":" + std::string(term.spelling()));
    EXPECT_EQ(term.hash, hash_in_part(hash_term(term.spelling()), term.part));
  }
  return found;
}

TEST(Analyzer, MakesWordNgramsUpToTheLengthAsked) {
  TextOptions options;
  options.word_ngrams = 3;
  EXPECT_THAT(terms(options, {"A b, c d"}),
              UnorderedElementsAre("0:a", "0:b", "0:c", "0:d", "0:a b", "0:b c", "0:c d", "0:a b c",
                                   "0:b c d"));
}

TEST(Analyzer, MakesCharacterNgramsOfWordsWithTheirBorders) {
  TextOptions options;
  options.word_ngrams = 0;
  options.char_min = 2;
  options.char_max = 3;
  EXPECT_THAT(terms(options, {"\u00e9t x"}),
              ElementsAre("0:#<\u00e9", "0:#\u00e9t", "0:#t>", "0:#<\u00e9t", "0:#\u00e9t>",
                          "0:#<x", "0:#x>", "0:#<x>"));
}

TEST(Analyzer, KeepsFieldsApart) {
  TextOptions options;
  options.word_ngrams = 2;
  options.fields = {{.name = "title", .own = true, .first_words = 1},
                    {.name = "text"},
                    {.name = "tags", .common = false, .own = true, .word_ngrams = 2}};
  EXPECT_THAT(terms(options, {"a b", "c d", "e f"}),
              ElementsAre("0:a", "0:b", "0:a b", "0:c", "0:d", "0:c d",  // no "b c"
                          "1:a",                                         // the first word only
                          "2:e", "2:f", "2:e f"));
}

}  // namespace
}  // namespace mhe::text

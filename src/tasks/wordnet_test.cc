// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/wordnet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

#include "memory_source.h"

namespace mhe::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WordNet, ReadsWordsAndTheDefinitionWithoutExamples) {
  const Synset synset = parse_synset(
      "02084071 05 n 02 domestic_dog 0 dog 0 002 @ 02083346 n 0000 ~ 01317541 n 0000 | a member of "
      "the genus Canis; barks; \"the dog barked all night\"  ",
      "data.noun:1");
  EXPECT_EQ(synset.id, "n02084071");
  EXPECT_THAT(synset.words, ElementsAre("domestic dog", "dog"));
  EXPECT_EQ(synset.definition, "a member of the genus Canis; barks");
}

TEST(WordNet, DropsTheMarksOfAdjectivesAndReadsHexadecimalCounts) {
  const Synset synset = parse_synset(
      "7 00 s 0a a(p) 0 b(ip) 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 j 0 000 "
      "| all ten",
      "x");
  EXPECT_EQ(synset.id, "a7");
  ASSERT_EQ(synset.words.size(), 10U);
  EXPECT_EQ(synset.words[0], "a");
  EXPECT_EQ(synset.words[1], "b");
}

TEST(WordNet, SkipsTheLicence) {
  const auto synsets = read_synsets(data::make_memory_source(
      "x", "  1 This software and database is being provided\n7 00 n 01 a 0 000 | b c\n"));
  ASSERT_EQ(synsets.size(), 1U);
  EXPECT_EQ(synsets[0].definition, "b c");
}

std::string error_of(std::string_view line) {
  try {
    static_cast<void>(parse_synset(line, "data.noun:9"));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(WordNet, SaysWhatIsWrongWithALine) {
  EXPECT_THAT(error_of("7 00 n 01 a 0 000"), HasSubstr("data.noun:9: expected \" | \""));
  EXPECT_THAT(error_of("7 00 n 03 a 0 b 0 | x"), HasSubstr("expected a word, found the end"));
  EXPECT_THAT(error_of("7 00 n zz a 0 | x"), HasSubstr("found \"zz\""));
  EXPECT_THAT(error_of("7 00 n ffffffff a 0 | x"), HasSubstr("expected a word"));
}

}  // namespace
}  // namespace mhe::tasks

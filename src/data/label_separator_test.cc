// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/label_separator.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_testing.h"

namespace mhe::data {
namespace {

using ::mhe::testing::Parsed;
using ::mhe::testing::read_bytes;
using ::mhe::testing::read_error;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Texts = std::vector<std::string>;

const std::string kWhole{kNoSeparator};

std::string guess(const Texts& texts, std::string_view by_default) {
  LabelSample sample;
  for (const std::string& text : texts) sample.add(text);
  return guess_label_separator(sample.texts(), by_default).separator;
}

// Rows of up to `most` of the names, the first of which are the most frequent.
class Rows {
 public:
  explicit Rows(std::uint32_t seed) : random_(seed) {}

  Texts joined(const Texts& names, std::size_t rows, std::size_t most, const std::string& separator,
               bool sorted = false) {
    Texts texts;
    for (std::size_t row = 0; row < rows; ++row) {
      Texts labels;
      const std::size_t wanted = 1 + below(most);
      while (labels.size() < std::min(wanted, names.size())) {
        const std::string& name = names[std::min(below(names.size()), below(names.size()))];
        if (std::find(labels.begin(), labels.end(), name) == labels.end()) labels.push_back(name);
      }
      if (sorted) std::sort(labels.begin(), labels.end());
      texts.push_back(fmt::format("{}", fmt::join(labels, separator)));
    }
    return texts;
  }
  std::size_t below(std::size_t end) { return random_() % end; }

 private:
  std::mt19937 random_;
};

Texts words(std::size_t count) {
  Texts names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("tag{}", i * 37 % 1000));
  return names;
}

// "Smith, John": surnames and first names recur, each in its place.
Texts authors(std::size_t count) {
  Texts names;
  for (std::size_t i = 0; i < count; ++i)
    names.push_back(fmt::format("Sur{}, First{}", i % 41, i / 3));
  return names;
}

const Texts kCountries = {"Korea, Republic of",
                          "Iran, Islamic Republic of",
                          "Congo",
                          "Congo, Democratic Republic of the",
                          "France",
                          "Peru",
                          "Chad",
                          "Togo",
                          "Moldova, Republic of"};

const Texts kIntents = {"card arrival",        "card linking",    "lost or stolen card",
                        "order physical card", "change pin",      "pin blocked",
                        "top up failed",       "top up limits",   "verify top up",
                        "exchange rate",       "exchange charge", "edit personal details"};

TEST(LabelSeparator, ListsAreSplitWhateverTheFormat) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    for (const std::size_t labels : {5U, 20U, 300U}) {
      for (const std::size_t rows : {40U, 400U, 4000U}) {
        for (const char* const text : {";", "; ", "|", " | ", ",", ", "}) {
          const std::string separator = text;
          const std::string wanted = separator.substr(separator.find_first_not_of(' '), 1);
          for (const bool sorted : {false, true}) {
            const Texts texts = Rows(seed).joined(words(labels), rows, 5, separator, sorted);
            for (const char* const by_default : {",", " ", "\n"}) {
              EXPECT_EQ(guess(texts, by_default), wanted)
                  << "seed " << seed << ", " << rows << " rows of " << labels << " labels with \""
                  << separator << "\", default \"" << by_default << '"';
            }
          }
        }
      }
    }
  }
}

TEST(LabelSeparator, BlanksSplitListsAndNotNames) {
  for (const bool sorted : {false, true}) {
    const Texts lists = Rows(1).joined(words(20), 400, 5, " ", sorted);
    EXPECT_EQ(guess(lists, " "), " ");
    EXPECT_EQ(guess(lists, ","), " ");
    EXPECT_EQ(guess(lists, "\n"), " ");
  }
  const Texts intents = Rows(1).joined(kIntents, 500, 1, "");
  EXPECT_EQ(guess(intents, " "), kWhole);
  EXPECT_EQ(guess(intents, ","), ",");
  EXPECT_EQ(guess(intents, "\n"), kWhole);
  EXPECT_EQ(guess(Rows(1).joined(kIntents, 500, 3, ";"), " "), ";");
}

TEST(LabelSeparator, NamesWithCommasStayWhole) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    for (const char* const by_default : {",", " ", "\n"}) {
      EXPECT_EQ(guess(Rows(seed).joined(authors(60), 400, 1, ""), by_default), kWhole);
      EXPECT_EQ(guess(Rows(seed).joined(kCountries, 400, 1, ""), by_default), kWhole);
    }
  }
}

TEST(LabelSeparator, NamesWithCommasMayBeInLists) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    for (const char* const separator : {"; ", ";", "|"}) {
      for (const char* const by_default : {",", " ", "\n"}) {
        const std::string wanted(1, separator[0]);
        EXPECT_EQ(guess(Rows(seed).joined(authors(60), 400, 4, separator), by_default), wanted);
        EXPECT_EQ(guess(Rows(seed).joined(kCountries, 400, 3, separator), by_default), wanted);
      }
    }
  }
}

TEST(LabelSeparator, FewRowsOfSeveralLabelsAreEnough) {
  Texts texts = Rows(3).joined(kIntents, 380, 1, "");
  for (const std::string& two : Rows(3).joined(kIntents, 20, 2, "; ")) texts.push_back(two);
  EXPECT_EQ(guess(texts, "\n"), ";");
}

TEST(LabelSeparator, NumbersAreNoNames) {
  Texts ids;
  for (int i = 0; i < 300; ++i) ids.push_back(std::to_string(i * 31 % 1000));
  for (const char* const separator : {",", ";", "|", " "}) {
    for (const std::size_t rows : {10U, 1000U}) {
      EXPECT_EQ(guess(Rows(1).joined(ids, rows, 6, separator), ","), separator);
    }
  }
  EXPECT_EQ(guess(Rows(1).joined(ids, 100, 1, ","), "\n"), kWhole);
}

TEST(LabelSeparator, OneLabelInEachRowLeavesTheDefault) {
  for (const char* const by_default : {",", " ", "\n"}) {
    const SeparatorGuess found = guess_label_separator(Texts{"cat", "dog", "cat"}, by_default);
    EXPECT_EQ(found.separator, by_default);
    EXPECT_FALSE(found.is_found);
  }
  EXPECT_EQ(guess({}, ","), ",");
}

TEST(LabelSeparator, SemicolonsOfCharacterReferencesAndOfNamesDoNotSplit) {
  EXPECT_EQ(
      guess(Rows(1).joined({"Home &amp; Kitchen", "Toys", "Arts &amp; Crafts"}, 300, 1, ""), ","),
      ",");
  EXPECT_EQ(guess(Rows(1).joined({"Arts; Crafts", "Health; Beauty", "Toys"}, 300, 1, ""), "\n"),
            kWhole);
}

TEST(LabelSeparator, CommasInsideChemicalNamesDoNotSplit) {
  Texts names;
  for (int i = 0; i < 40; ++i)
    names.push_back(fmt::format("{},{}-name{}", 1 + i % 3, 2 + i % 5, i));
  EXPECT_EQ(guess(Rows(1).joined(names, 400, 1, ""), ","), kWhole);
  EXPECT_EQ(guess(Rows(1).joined(names, 400, 3, ";"), ","), ";");
}

// What mhe writes, and data of two rows, is read as ever.
TEST(LabelSeparator, LittleDataGetsTheDefaultOfItsFormat) {
  EXPECT_EQ(guess({"a, b", "c, d"}, ","), ",");
  EXPECT_EQ(guess({"a,b", "a,b"}, ","), ",");
  EXPECT_EQ(guess({"a b", "c d"}, " "), " ");
  EXPECT_EQ(guess({"New York", "Rome"}, ","), ",");
  EXPECT_EQ(guess({"Smith, John", "Doe, Jane"}, "\n"), kWhole);
}

TEST(LabelSeparator, DependsOnlyOnTheSample) {
  LabelSample sample;
  for (std::size_t i = 0; i < 2 * LabelSample::kMaxRows; ++i) sample.add("a;b");
  EXPECT_EQ(sample.texts().size(), LabelSample::kMaxRows);
  EXPECT_TRUE(sample.is_full());
  LabelSample long_texts;
  while (!long_texts.is_full()) long_texts.add(std::string(100'000, 'x'));
  EXPECT_EQ(long_texts.texts().size(), 11U);
}

TEST(LabelSeparator, IsFoundInEveryFormatAndSaid) {
  std::string csv = "text,labels\n";
  std::string jsonl;
  std::string texts;
  std::string labels;
  for (const std::string& list : Rows(2).joined(authors(30), 100, 3, "; ")) {
    csv += fmt::format("x,\"{}\"\n", list);
    jsonl += fmt::format("{{\"text\": \"x\", \"labels\": \"{}\"}}\n", list);
    texts += "x\n";
    labels += list + "\n";
  }
  for (const Parsed& parsed : {read_bytes(csv), read_bytes(jsonl), read_bytes(texts, {}, labels)}) {
    EXPECT_EQ(parsed.schema.layout.label_separator, ";");
    EXPECT_TRUE(parsed.schema.separator_is_guess);
    for (std::uint32_t label = 0; label < parsed.names.size(); ++label) {
      EXPECT_THAT(parsed.names.name(LabelId{label}),
                  ::testing::MatchesRegex("Sur[0-9]+, First[0-9]+"));
    }
  }
  ReadOptions options;
  options.label_separator = ",";
  EXPECT_EQ(read_bytes(csv, options).schema.layout.label_separator, ",");
  EXPECT_FALSE(read_bytes(csv, options).schema.separator_is_guess);
}

TEST(LabelSeparator, StringsInArraysStayWhole) {
  std::string jsonl;
  for (int i = 0; i < 50; ++i) {
    jsonl += fmt::format("{{\"text\": \"x\", \"labels\": [\"a{};b{}\", \"c;d\"]}}\n", i % 5, i % 3);
  }
  EXPECT_EQ(read_bytes(jsonl).labels_of(0).size(), 2U);
}

TEST(LabelSeparator, IsThatOfTheModelWhereItIsExpected) {
  ReadOptions options;
  options.expected.format = Format::kTsv;
  options.expected.label_separator = "+";
  EXPECT_THAT(read_bytes("text,labels\nx,a+b\n", options).labels_of(0), ElementsAre("a", "b"));
  // Labels in lines of their own are another matter.
  EXPECT_THAT(read_bytes("x\n", options, "a+b\n").labels_of(0), ElementsAre("a+b"));
  options.label_separator = "b";
  EXPECT_THAT(read_bytes("text,labels\nx,a+b\n", options).labels_of(0), ElementsAre("a+"));
}

TEST(SuspectSeparator, IsNamedWhereMostLabelsOccurOnce) {
  LabelNames names;
  std::vector<std::uint32_t> counts;
  for (const std::string& text : Rows(1).joined(words(60), 200, 6, ";")) {
    if (index_of(names.intern(text)) >= counts.size()) counts.push_back(0);
    ++counts[index_of(names.intern(text))];
  }
  const auto found = suspect_separator(names, counts);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->separator, ";");
  EXPECT_THAT(found->label, HasSubstr(";"));
  for (std::uint32_t& count : counts) count += 1;
  EXPECT_FALSE(suspect_separator(names, counts).has_value());
}

// The layout of a model's data, in other data.

DataLayout books() {
  return {.format = Format::kCsv,
          .text_columns = {"heading", "summary"},
          .label_column = "subjects",
          .label_separator = ";"};
}

TEST(ExpectedLayout, TakesItsColumns) {
  ReadOptions options;
  options.expected = books();
  const Parsed parsed =
      read_bytes("labels,subjects,summary,heading\nno,a;b,the summary,the heading\n", options);
  EXPECT_THAT(parsed.schema.text_fields, ElementsAre("heading", "summary"));
  EXPECT_EQ(parsed.text_of(0), "the heading");
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("a", "b"));
  EXPECT_EQ(parsed.schema.layout.label_column, "subjects");
}

TEST(ExpectedLayout, NamesTheTextColumnThatIsMissing) {
  ReadOptions options;
  options.expected = books();
  EXPECT_THAT(read_error("heading,text,subjects\nh,t,a\n", options),
              HasSubstr("expected a column called \"summary\", found \"heading\", \"text\", "
                        "\"subjects\""));
  EXPECT_THAT(read_error("{\"text\": \"t\"}\n", options), HasSubstr("called \"heading\""));
}

TEST(ExpectedLayout, NoLabelColumnMeansNoLabels) {
  ReadOptions options;
  options.expected = books();
  const Parsed parsed = read_bytes("heading,summary,labels\nh,s,a\n", options);
  EXPECT_FALSE(parsed.schema.has_labels);
  EXPECT_THAT(parsed.schema.columns, ElementsAre("heading", "summary", "labels"));
}

TEST(ExpectedLayout, ATableMayLackItsHeaderOrHaveIt) {
  ReadOptions options;
  options.expected = books();
  options.expected.columns = {"heading", "summary", "subjects"};
  const std::string rows = "h,\"s, with more\",a;b\nh2,s2,a\n";
  EXPECT_EQ(read_bytes(rows, options).data.rows, 2U);
  const Parsed parsed = read_bytes("heading,summary,subjects\n" + rows, options);
  EXPECT_EQ(parsed.data.rows, 2U);
  EXPECT_EQ(parsed.text_of(0), "h");
}

TEST(ExpectedLayout, FirstIdsAndPrefixesAreAsBefore) {
  ReadOptions options;
  options.expected = {.format = Format::kSvmlight, .index_base = 1};
  EXPECT_EQ(read_bytes("a 1:1 3:1\n", options).features_of(0), "0:1 2:1");
  EXPECT_EQ(read_bytes("{\"text\": \"x\"}\n", options).data.rows, 1U);
  options.expected = {.format = Format::kFastText, .label_prefix = "#"};
  EXPECT_THAT(read_bytes("#a text\n", options).labels_of(0), ElementsAre("a"));
}

}  // namespace
}  // namespace mhe::data

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/metrics.h>

#include "scratch_dir.h"

namespace mhe {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// All rows, written "name=score name=score".
std::vector<std::string> read_all(std::string_view text, LabelNames& names,
                                  std::size_t threads = 2) {
  const Context context(ContextOptions{.threads = threads});
  const testing::ScratchDir scratch;
  PredictionReader reader(context, scratch.write("p.txt", text), names);
  Ragged<ScoredLabel> rows;
  std::vector<std::string> result;
  while (reader.next(rows)) {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      std::string line;
      for (const ScoredLabel& item : rows[row]) {
        line += fmt::format("{}{}={}", line.empty() ? "" : " ", names.name(item.label), item.score);
      }
      result.push_back(line);
    }
  }
  return result;
}

std::vector<std::string> read_all(std::string_view text) {
  LabelNames names;
  return read_all(text, names);
}

std::string error_of(std::string_view text) {
  try {
    read_all(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidData);
    const std::string message = error.what();  // without the directory
    return message.substr(message.find("p.txt"));
  }
  return "no error";
}

using Rows = std::vector<std::string>;

TEST(PredictionReader, ReadsScoredLabelsInTheOrderOfTheLine) {
  EXPECT_EQ(read_all("b:0.5 a:1\nc:-2e-3\n"), (Rows{"b=0.5 a=1", "c=-0.002"}));
}

TEST(PredictionReader, TheLastColonSplits) {
  EXPECT_EQ(read_all("http://x:1:0.5 ::2\n"), (Rows{"http://x:1=0.5 :=2"}));
}

TEST(PredictionReader, ALabelInQuotesMayHoldAnything) {
  EXPECT_EQ(read_all("\"New York\":0.5 \"a\\\"b: c\":1 \"\":2 plain:3\n\"\\u00e9\\n\":1\n"),
            (Rows{"New York=0.5 a\"b: c=1 =2 plain=3", "é\n=1"}));
}

TEST(PredictionReader, QuotesThatDoNotCloseOrLackAScoreAreErrors) {
  for (const std::string_view line :
       {"\"a b:1", "\"a b\"", "\"a b\":", "\"a\"b:1", "\"a\\", "\"\\x\":1", "\"", "\"a\": 1"}) {
    EXPECT_THAT(error_of(line), HasSubstr("p.txt:1: expected \"label\":score")) << line;
  }
}

TEST(PredictionReader, AnEmptyLineIsARowWithoutPredictions) {
  EXPECT_EQ(read_all("\na:1\n \t\n\n"), (Rows{"", "a=1", "", ""}));
}

TEST(PredictionReader, AMissingLastNewlineCrlfTabsAndABomAreFine) {
  EXPECT_EQ(read_all("\xEF\xBB\xBF"
                     "a:1\tb:2  \r\n\r\nc:3"),
            (Rows{"a=1 b=2", "", "c=3"}));
}

TEST(PredictionReader, AnEmptyFileHasNoRows) {
  EXPECT_EQ(read_all(""), Rows{});
}

TEST(PredictionReader, ReadsNumbersOfAllSizes) {
  EXPECT_EQ(read_all("a:inf b:-inf c:+3 d:1e-999 e:.5 f:1e308\n"),
            (Rows{"a=inf b=-inf c=3 d=0 e=0.5 f=3.4028235e+38"}));
}

TEST(PredictionReader, ReadsJsonLines) {
  EXPECT_EQ(read_all(R"({"labels": [{"label": "two words", "p": 0.5}, {"p": 1, "label": 7}]}
{"id": "x", "labels": []}

{"labels": [{"label": "\u00e9", "score": -3, "rank": 1}]}
)"),
            (Rows{"two words=0.5 7=1", "", "", "\xC3\xA9=-3"}));
}

TEST(PredictionReader, ALabelMayBeginWithABrace) {
  EXPECT_EQ(read_all("{a}:1 {b:2\n"), (Rows{"{a}=1 {b=2"}));
}

TEST(PredictionReader, KnownLabelsKeepTheirIdsAndNewOnesFollowInOrder) {
  LabelNames names = LabelNames::numbered(3);
  read_all("2:1 x:1 9:1\ny:1 x:1 0:1\n", names);
  EXPECT_EQ(names.size(), 6);
  EXPECT_EQ(names.find("2"), LabelId{2});
  EXPECT_EQ(names.find("x"), LabelId{3});
  EXPECT_EQ(names.find("9"), LabelId{4});
  EXPECT_EQ(names.find("y"), LabelId{5});
}

TEST(PredictionReader, ManyBlocksAndThreadsGiveTheSameRowsAndIds) {
  std::string text;
  for (int row = 0; row < 60'000; ++row) {  // 5 MB: several blocks of 1 MiB
    text += fmt::format("known:{} row{}:0.25 other{}:0.5 some-longer-name-{}:0.125 a:1 b:2 c:3\n",
                        row, row / 3, row % 100, row % 7);
  }
  LabelNames one;
  LabelNames four;
  one.intern("known");
  four.intern("known");
  const Rows rows = read_all(text, one, 1);
  EXPECT_EQ(rows.size(), 60'000);
  EXPECT_EQ(rows, read_all(text, four, 4));
  ASSERT_EQ(one.size(), four.size());
  for (std::uint32_t id = 0; id < one.size(); ++id) {
    ASSERT_EQ(one.name(LabelId{id}), four.name(LabelId{id}));
  }
}

TEST(PredictionReader, ErrorsNameFileLineExpectedAndFound) {
  EXPECT_EQ(error_of("a:1\nb:2 c\n"), "p.txt:2: expected label:score, found \"c\"");
  EXPECT_EQ(error_of("a:1\n:2\n"), "p.txt:2: expected a label before the colon, found \":2\"");
  EXPECT_EQ(error_of("a:\n"), "p.txt:1: expected a number behind the last colon, found \"a:\"");
  EXPECT_THAT(error_of("a:1x\n"), HasSubstr("expected a number"));
  EXPECT_THAT(error_of("a:nan\n"), HasSubstr("expected a number"));
  EXPECT_THAT(error_of("a:1e999\n"), HasSubstr("expected a number"));
  EXPECT_THAT(error_of("a:++1\n"), HasSubstr("expected a number"));
  EXPECT_EQ(error_of("a:1 b:2 a:3\n"),
            "p.txt:1: expected each label once in a row, found \"a\" twice");
}

TEST(PredictionReader, JsonErrorsNameTheLineToo) {
  EXPECT_THAT(error_of("{\"labels\": []}\n{\"labels\": 3}\n"),
              StartsWith("p.txt:2: expected an object with an array \"labels\""));
  EXPECT_THAT(error_of("{\"labels\": []}\n[1]\n"), StartsWith("p.txt:2: expected an object"));
  EXPECT_THAT(error_of("{\"labels\": []}\n{\"labels\": [\n"),
              StartsWith("p.txt:2: expected a JSON object"));
  EXPECT_THAT(error_of("{\"labels\": [{\"label\": \"x\"}]}"),
              StartsWith("p.txt:1: expected {\"label\""));
  EXPECT_THAT(error_of("{\"labels\": [{\"label\": \"x\", \"p\": \"1\"}]}"),
              StartsWith("p.txt:1: expected {\"label\""));
}

TEST(PredictionReader, ReportsTheFirstBadLineOfALongFile) {
  std::string text;
  for (int row = 0; row < 300'000; ++row) text += "label:0.5 other:1\n";
  text += "bad\n";
  for (int row = 0; row < 300'000; ++row) text += "worse\n";
  EXPECT_THAT(error_of(text), StartsWith("p.txt:300001:"));
}

TEST(PredictionReader, OpensFilesAndSaysWhatIsMissing) {
  const testing::ScratchDir scratch;
  const Context context;
  LabelNames names;
  PredictionReader reader(context, scratch.write("p.txt", "a:1\n"), names);
  Ragged<ScoredLabel> rows;
  EXPECT_TRUE(reader.next(rows));
  EXPECT_EQ(rows.rows(), 1);
  EXPECT_FALSE(reader.next(rows));
  EXPECT_THROW(PredictionReader(context, scratch.file("none"), names), Error);
}

}  // namespace
}  // namespace mhe

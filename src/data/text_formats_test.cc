// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
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
using ::testing::IsEmpty;

TEST(FastText, FindsLabelsAnywhereAndKeepsTheRest) {
  const Parsed parsed = read_bytes(
      "__label__a __label__b some  text\nx __label__c y __label__a\n\nonly text\n__label__d\n \n"
      "__label__ is no label\n");
  EXPECT_EQ(parsed.schema.format, Format::kFastText);
  ASSERT_EQ(parsed.data.rows, 6U);
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("a", "b"));
  EXPECT_EQ(parsed.text_of(0), "some  text");
  EXPECT_THAT(parsed.labels_of(1), ElementsAre("a", "c"));
  EXPECT_EQ(parsed.text_of(1), "x y");
  EXPECT_EQ(parsed.text_of(2), "only text");
  EXPECT_EQ(parsed.text_of(3), "");
  EXPECT_EQ(parsed.text_of(5), "__label__ is no label");
  EXPECT_EQ(parsed.report.empty_rows, 2U);
  EXPECT_EQ(parsed.report.unlabeled_rows, 3U);
}

TEST(FastText, RefusesWhatIsNotUtf8) {
  EXPECT_EQ(read_error("__label__a good\n__label__b b\xc3(d\n"),
            "data:2: expected UTF-8, found \"\\xc3(d\" at byte 13 of the line");
}

TEST(TextLines, JoinsTextsWithLabelLines) {
  const Parsed parsed = read_bytes("one\n\nthree, with a, comma\n", {}, "a  b\nb\n\n");
  EXPECT_EQ(parsed.schema.format, Format::kTextLines);
  ASSERT_EQ(parsed.data.rows, 3U);
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("a", "b"));
  EXPECT_EQ(parsed.text_of(1), "");
  EXPECT_THAT(parsed.labels_of(2), IsEmpty());
}

TEST(TextLines, SplitsLabelsAtTheGivenSeparator) {
  ReadOptions options;
  options.label_separator = ";";
  const Parsed parsed = read_bytes("one\n", options, " New York ; Rome;;Rome\n");
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("New York", "Rome"));
  EXPECT_EQ(parsed.report.duplicate_labels, 1U);
}

TEST(TextLines, ComparesRowCountsAndForgivesBlankLinesAtTheEnd) {
  EXPECT_EQ(read_error("one\ntwo\nthree\n", {}, "a\nb\n"),
            "data has 3 rows, but labels has 2; they must be the same");
  EXPECT_EQ(read_error("one\ntwo\n", {}, "a\nb\nc\nd\n"),
            "data has 2 rows, but labels has 4; they must be the same");
  EXPECT_EQ(read_error("one\ntwo\n\n\n", {}, "a\nb\n"), "");
  EXPECT_EQ(read_error("one\ntwo\n", {}, "a\nb\n\n"), "");
  EXPECT_EQ(read_bytes("one\ntwo\n\n\n", {}, "a\nb\n").data.rows, 2U);
}

TEST(TextLines, AreReadWithoutLabelsIfTheFormatIsNamed) {
  ReadOptions options;
  options.format = Format::kTextLines;
  const Parsed parsed = read_bytes("one\ntwo", options);
  EXPECT_FALSE(parsed.schema.has_labels);
  EXPECT_EQ(parsed.text_of(1), "two");
}

TEST(Csv, ReadsQuotesAndLineBreaksInsideThem) {
  const Parsed parsed = read_bytes(
      "id,labels,title,text,other\r\n"
      "7,\"a,b\",\"He said \"\"hi\"\"\",\"two\r\nlines\",x\r\n"
      "\r\n"
      "8, c ,,\"\",");
  EXPECT_EQ(parsed.schema.format, Format::kCsv);
  EXPECT_THAT(parsed.schema.text_fields, ElementsAre("title", "text"));
  ASSERT_EQ(parsed.data.rows, 2U);
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("a", "b"));
  EXPECT_EQ(parsed.text_of(0, 0), "He said \"hi\"");
  EXPECT_EQ(parsed.text_of(0, 1), "two\r\nlines");
  EXPECT_EQ(string_at(parsed.data.ids, 1), "8");
  EXPECT_THAT(parsed.labels_of(1), ElementsAre("c"));
  EXPECT_EQ(parsed.report.empty_rows, 1U);
}

TEST(Csv, CountsLinesInsideQuotesForMessages) {
  EXPECT_EQ(read_error("text,label\n\"a\nb\nc\",x\nd\n"),
            "data:5: expected 2 columns, found 1: \"d\"");
}

TEST(Csv, NamesWhatIsWrongWithQuotes) {
  EXPECT_THAT(read_error("text,label\na\"b,x\n"), HasSubstr("data:2: expected no quote inside"));
  EXPECT_THAT(read_error("text,label\n\"a\"b,x\n"),
              HasSubstr("after a closing quote, found \"b,x"));
  EXPECT_THAT(read_error("text,label\nx,y\n\"a,b\nc,d\n"),
              HasSubstr("data:3: expected a closing quote"));
}

TEST(Csv, ChoosesColumnsByFlags) {
  ReadOptions options;
  options.columns = {"a", "b", "c"};
  options.text_columns = {"c", "a"};
  options.label_column = "b";
  options.label_separator = "|";
  const Parsed parsed = read_bytes("1,x|y,2\n", options);
  EXPECT_EQ(parsed.text_of(0, 0), "2");
  EXPECT_EQ(parsed.text_of(0, 1), "1");
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("x", "y"));
  EXPECT_FALSE(parsed.schema.has_ids);
}

TEST(Csv, ListsTheColumnsIfOneIsMissing) {
  ReadOptions options;
  options.text_columns = {"body2"};
  EXPECT_EQ(read_error("id,body\n1,x\n", options),
            "data: expected a column called \"body2\", found \"id\", \"body\"");
  EXPECT_THAT(read_error("x,y\n1,2\n"), HasSubstr("choose text columns"));
  options.text_columns = {"body"};
  options.label_column = "body";
  EXPECT_THAT(read_error("id,body\n1,x\n", options), HasSubstr("chosen twice"));
}

TEST(Tsv, TakesQuotesAsTheyAre) {
  const Parsed parsed = read_bytes("labels\ttext\na,b\t\"quoted\" \"\nc\t\n");
  EXPECT_EQ(parsed.schema.format, Format::kTsv);
  EXPECT_EQ(parsed.text_of(0), "\"quoted\" \"");
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("a", "b"));
  EXPECT_THAT(read_error("labels\ttext\na\tb\tc\n"),
              HasSubstr("data:2: expected 2 columns, found 3"));
}

TEST(Jsonl, ReadsLabelsOfAllKinds) {
  const Parsed parsed = read_bytes(
      "{\"id\": 5, \"labels\": [\"a\", 7, 2.5, null, \"a\"], \"title\": \"T\", \"text\": null}\n"
      "\n"
      "{\"text\": [\"x\", \"y\"], \"labels\": \"one, label\"}\n"
      "{\"labels\": -3, \"extra\": {\"deep\": [1]}}\r\n");
  EXPECT_EQ(parsed.schema.format, Format::kJsonl);
  ASSERT_EQ(parsed.data.rows, 3U);
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("a", "7", "2.5"));
  EXPECT_THAT(parsed.labels_of(1), ElementsAre("one, label"));
  EXPECT_THAT(parsed.labels_of(2), ElementsAre("-3"));
  EXPECT_EQ(parsed.text_of(0, 0), "T");
  EXPECT_EQ(parsed.text_of(1, 1), "x y");
  EXPECT_EQ(string_at(parsed.data.ids, 0), "5");
  EXPECT_EQ(parsed.report.duplicate_labels, 1U);
}

TEST(Jsonl, ReadsSparseFeaturesInBothShapes) {
  const Parsed parsed = read_bytes(
      "{\"target_ind\": [3], \"features\": {\"indices\": [4, 1], \"values\": [0.5, 2]}}\n"
      "{\"features\": {\"9\": 1, \"2\": -1.5}}\n{\"target_ind\": 1}\n");
  EXPECT_EQ(parsed.schema.kind, InputKind::kSparse);
  EXPECT_EQ(parsed.features_of(0), "1:2 4:0.5");
  EXPECT_EQ(parsed.features_of(1), "2:-1.5 9:1");
  EXPECT_EQ(parsed.features_of(2), "");
  EXPECT_EQ(parsed.data.features.num_columns, 10U);
}

TEST(Jsonl, ReadsDenseFeatures) {
  const Parsed parsed =
      read_bytes("{\"label\":\"a\",\"features\":[1,2.5]}\n{\"features\":[0,-1]}\n");
  EXPECT_EQ(parsed.schema.kind, InputKind::kDense);
  EXPECT_THAT(parsed.data.dense.values, ElementsAre(1, 2.5, 0, -1));
  EXPECT_THAT(read_error("{\"features\":[1,2]}\n{\"features\":[1]}\n"),
              HasSubstr("data:2: expected 2 features as in the first row, found 1"));
  EXPECT_THAT(read_error("{\"features\":[]}\n"), HasSubstr("found an empty array"));
}

TEST(Jsonl, SplitsStringsOnlyIfASeparatorIsGiven) {
  ReadOptions options;
  options.label_separator = ",";
  const Parsed parsed = read_bytes("{\"text\":\"x\",\"labels\":\"a, b\"}\n", options);
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("a", "b"));
}

TEST(Jsonl, NamesFileLineExpectedAndFound) {
  EXPECT_THAT(read_error("{\"text\": \"a\"}\n{\"text\": }\n"),
              HasSubstr("data:2: expected a JSON object, found"));
  EXPECT_THAT(read_error("{\"text\": \"a\"}\n[1]\n"), HasSubstr("data:2: expected a JSON object"));
  EXPECT_THAT(read_error("{\"text\": \"a\"}\n{\"text\": 1}\n"),
              HasSubstr("data:2: expected a string for the key \"text\", found \"1\""));
  EXPECT_THAT(read_error("{\"text\":\"a\",\"labels\":[true]}\n"),
              HasSubstr("data:1: expected a label"));
  EXPECT_THAT(read_error("{\"features\":{\"x\":1}}\n"), HasSubstr("expected a feature id"));
  EXPECT_THAT(read_error("{\"features\":{\"indices\":[1],\"values\":[]}}\n"),
              HasSubstr("as many indices as values"));
  EXPECT_THAT(read_error("{\"text\":\"a\"}\n{\"text\":\"\xff\"}\n"), HasSubstr("data:2:"));
  EXPECT_THAT(read_error("{\"foo\":\"a\"}\n"), HasSubstr("expected a key of text"));
}

TEST(Detection, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(read_error(""), "data is empty, expected a data set");
  EXPECT_EQ(read_error("\n\n"), "data is empty, expected a data set");
  EXPECT_THAT(read_error("just some words\n"), HasSubstr("expected a known format"));
}

TEST(Options, MustFitTheFormat) {
  ReadOptions options;
  options.index_base = 1;
  EXPECT_THAT(read_error("__label__a x\n", options), HasSubstr("index base does not apply"));
  options = {};
  options.columns = {"a"};
  EXPECT_THAT(read_error("1 2 3\n", options), HasSubstr("columns do not apply"));
  options = {};
  options.label_column = "x";
  EXPECT_THAT(read_error("__label__a x\n", options), HasSubstr("no columns to choose"));
  EXPECT_THAT(read_error("1 2 3\n1 1:1\n", {}, "x\n"),
              HasSubstr("a label file does not go with it"));
}

}  // namespace
}  // namespace mhe::data

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading for somebody who knows what to expect: the text fields of a model, or labels only.
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

ReadOptions expecting(std::vector<std::string> fields) {
  ReadOptions options;
  options.expected_text = std::move(fields);
  return options;
}

TEST(ExpectedText, LinesOfNoOtherFormatAreTexts) {
  for (const char* const text : {"some text\n", "Well, commas; and so on\n", "\nthe second\n",
                                 "Review, with a blank behind the comma\n", "an \"odd, quote\n"}) {
    const Parsed parsed = read_bytes(text, expecting({"title", "body"}));
    EXPECT_EQ(parsed.schema.format, Format::kTextLines) << text;
    EXPECT_THAT(parsed.schema.text_fields, ElementsAre("text")) << text;
  }
  EXPECT_THAT(read_error("", expecting({"text"})), HasSubstr("data is empty"));
}

TEST(ExpectedText, OtherFormatsAreStillFound) {
  const ReadOptions options = expecting({"text"});
  EXPECT_EQ(read_bytes("1 3:4 5:6\n", options).schema.format, Format::kSvmlight);
  EXPECT_EQ(read_bytes("__label__a x\n", options).schema.format, Format::kFastText);
  EXPECT_EQ(read_bytes("{\"text\": \"x\"}\n", options).schema.format, Format::kJsonl);
  EXPECT_EQ(read_bytes("id,text\n1,x\n", options).schema.format, Format::kCsv);
}

TEST(ExpectedText, ColumnsAreTakenByName) {
  const Parsed parsed = read_bytes("body,summary,title\nb,s,t\n", expecting({"title", "summary"}));
  EXPECT_THAT(parsed.schema.text_fields, ElementsAre("title", "summary"));
  EXPECT_EQ(parsed.text_of(0, 0), "t");
  EXPECT_EQ(parsed.text_of(0, 1), "s");
  EXPECT_THAT(read_error("title,tags\nt,x\n", expecting({"title", "summary"})),
              HasSubstr("expected a column called \"summary\", found \"title\", \"tags\""));
}

TEST(ExpectedText, OneFieldMayHaveAnotherName) {
  EXPECT_EQ(read_bytes("id,review\n1,x\n", expecting({"text"})).text_of(0), "x");
}

TEST(ExpectedText, FlagsGoFirst) {
  ReadOptions options = expecting({"title"});
  options.text_columns = {"body"};
  EXPECT_EQ(read_bytes("title,body\nt,b\n", options).text_of(0), "b");
}

TEST(ExpectedText, MissingJsonKeysAreEmpty) {
  const Parsed parsed = read_bytes("{\"title\": \"t\"}\n", expecting({"body", "title"}));
  EXPECT_EQ(parsed.text_of(0, 0), "");
  EXPECT_EQ(parsed.text_of(0, 1), "t");
  EXPECT_THAT(read_error("{\"x\": \"t\"}\n", expecting({"body", "title"})),
              HasSubstr("expected a key called \"body\""));
}

TEST(LabelsOnly, TablesAndJsonNeedNoText) {
  ReadOptions options;
  options.labels_only = true;
  for (const char* const text : {"id\tlabels\nr1\ta,b\nr2\t\n", "id,labels\nr1,\"a,b\"\nr2,\n",
                                 "{\"id\": 1, \"labels\": [\"a\", \"b\"]}\n{\"labels\": []}\n"}) {
    const Parsed parsed = read_bytes(text, options);
    ASSERT_EQ(parsed.data.rows, 2U) << text;
    EXPECT_THAT(parsed.labels_of(0), ElementsAre("a", "b")) << text;
    EXPECT_THAT(parsed.labels_of(1), IsEmpty()) << text;
    EXPECT_THAT(parsed.data.text, IsEmpty()) << text;
  }
  EXPECT_THAT(read_error("id\tlabels\nr1\ta\n"), HasSubstr("expected a column of text"));
}

TEST(LabelsOnly, TextIsNotRead) {
  ReadOptions options;
  options.labels_only = true;
  const Parsed parsed = read_bytes("text,labels\nx,a\n", options);
  EXPECT_THAT(parsed.data.text, IsEmpty());
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("a"));
}

}  // namespace
}  // namespace mhe::data

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

TEST(Xmc, ReadsRowsWithAndWithoutLabels) {
  const Parsed parsed = read_bytes("4 5 3\n0,2 1:0.5 4:2\n 0:1\n3:1\n1\n");
  ASSERT_EQ(parsed.data.rows, 4U);
  EXPECT_EQ(parsed.schema.format, Format::kXmc);
  EXPECT_EQ(parsed.schema.declared_features, 5U);
  EXPECT_EQ(parsed.names.size(), 3U);
  EXPECT_EQ(parsed.data.features.num_columns, 5U);
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("0", "2"));
  EXPECT_THAT(parsed.labels_of(1), IsEmpty());
  EXPECT_THAT(parsed.labels_of(2), IsEmpty());
  EXPECT_THAT(parsed.labels_of(3), ElementsAre("1"));
  EXPECT_EQ(parsed.features_of(0), "1:0.5 4:2");
  EXPECT_EQ(parsed.features_of(2), "3:1");
  EXPECT_EQ(parsed.report.empty_rows, 1U);
  EXPECT_EQ(parsed.report.unlabeled_rows, 2U);
}

TEST(Xmc, TakesCrlfByteOrderMarkTabsAndAMissingLastNewline) {
  const Parsed plain = read_bytes("2 5 3\n0,2 1:0.5 4:2\n1 0:1\n");
  for (const char* text : {"2 5 3\r\n0,2 1:0.5 4:2\r\n1 0:1\r\n",
                           "\xef\xbb\xbf"
                           "2 5 3\n0,2 1:0.5 4:2\n1 0:1",
                           " 2\t5 3 \n0,2\t1:0.5  4:2 \n1 0:1\n\n\r\n\n"}) {
    const Parsed parsed = read_bytes(text);
    EXPECT_EQ(parsed.data.features, plain.data.features) << text;
    EXPECT_EQ(parsed.data.labels, plain.data.labels) << text;
  }
}

TEST(Xmc, SortsAndMergesFeaturesAndLabelsAndCountsThem) {
  const Parsed parsed = read_bytes("1 9 9\n7,2,7,2 5:1 3:2 5:0.25 3:1 8:1\n");
  EXPECT_EQ(parsed.features_of(0), "3:3 5:1.25 8:1");
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("2", "7"));
  EXPECT_EQ(parsed.report.duplicate_features, 2U);
  EXPECT_EQ(parsed.report.duplicate_labels, 2U);
}

TEST(Xmc, KeepsEmptyLinesAsRowsWhileTheHeaderPromisesRows) {
  const Parsed parsed = read_bytes("3 2 2\n1 1:1\n\n\n");
  EXPECT_EQ(parsed.data.rows, 3U);
  EXPECT_EQ(parsed.report.empty_rows, 2U);
}

TEST(Xmc, SubtractsTheIndexBaseFromFeatures) {
  ReadOptions options;
  options.index_base = 1;
  const Parsed parsed = read_bytes("1 3 2\n1 1:1 3:1\n", options);
  EXPECT_EQ(parsed.features_of(0), "0:1 2:1");
  EXPECT_EQ(read_error("1 3 2\n1 0:1\n", options), "data:2: expected ids from 1, found feature 0");
  EXPECT_THAT(read_error("1 3 2\n1 4:1\n", options), HasSubstr("feature 4 is out of range"));
}

TEST(Xmc, NamesFileLineExpectedAndFound) {
  EXPECT_EQ(read_error("1 3 2\n1 3:1\n"),
            "data:2: feature 3 is out of range; the header declares 3 features, 0 to 2 (if ids "
            "count from 1, give index base 1)");
  EXPECT_EQ(read_error("2 3 2\n1 0:1\n2 0:1\n"),
            "data:3: label 2 is out of range; the header declares 2 labels, 0 to 1");
  EXPECT_EQ(read_error("1 3 2\n1 x:1\n"),
            "data:2: expected an unsigned feature id before the colon, found \"x:1\"");
  EXPECT_THAT(read_error("1 3 2\n1 -1:1\n"), HasSubstr("unsigned feature id"));
  EXPECT_THAT(read_error("1 3 2\n1 99999999999:1\n"), HasSubstr("below 4294967295"));
  for (const char* value : {"nan", "inf", "-inf", "1e99", "", "1.5x", "--1", "0x10"}) {
    EXPECT_THAT(read_error(std::string("1 3 2\n1 0:") + value + "\n"),
                HasSubstr("data:2: expected a finite number after the colon"))
        << value;
  }
  EXPECT_EQ(read_error("a 4294967295:1\n"),
            "data:1: expected ids below 4294967295, found feature 4294967295");
  EXPECT_THAT(read_error("1 3 2\n1 0\n"), HasSubstr("expected feature:value, found \"0\""));
  EXPECT_THAT(read_error("1 3 2\n1,,2 0:1\n"), HasSubstr("expected label numbers"));
  EXPECT_THAT(read_error("1 3 2\na 0:1\n"), HasSubstr("expected label numbers"));
  EXPECT_THAT(read_error("1 9999999999 2\n"), HasSubstr("at most 4294967294"));
  EXPECT_THAT(read_error("1 3 2\n1 0:3e38 0:3e38\n"), HasSubstr("add up to more"));
}

TEST(Xmc, ChecksTheNumberOfRows) {
  EXPECT_EQ(read_error("3 3 2\n1 0:1\n"), "data: expected 3 rows as the header declares, found 1");
  EXPECT_EQ(read_error("1 3 2\n1 0:1\n1 0:1\n"),
            "data:3: expected the end after 1 rows as the header declares, found another row");
  EXPECT_EQ(read_error("1 3 2\n1 0:1\n\n\n"), "");
}

TEST(Xmc, SkipsAsManyBadLinesAsAllowedAndReportsEach) {
  ReadOptions options;
  options.skip_bad = 2;
  const Parsed parsed = read_bytes("4 3 2\n1 0:1\n1 oops\n0 7:1\n0 2:1\n", options);
  EXPECT_EQ(parsed.data.rows, 2U);
  EXPECT_EQ(parsed.features_of(1), "2:1");
  ASSERT_EQ(parsed.report.bad_lines.size(), 2U);
  EXPECT_THAT(parsed.report.bad_lines[0], HasSubstr("data:3: expected feature:value"));
  EXPECT_EQ(parsed.warnings.size(), 2U);
  options.skip_bad = 1;
  EXPECT_THAT(read_error("4 3 2\n1 0:1\n1 oops\n0 7:1\n0 2:1\n", options),
              HasSubstr("data:4: feature 7"));
}

TEST(XmcPair, JoinsFeaturesWithTheLabelMatrix) {
  const Parsed parsed = read_bytes("3 4\n0:1 3:2\n\n1:1\n", {}, "3 5\n4:1 1:1\n2:1\n0:0\n");
  EXPECT_EQ(parsed.schema.format, Format::kXmcPair);
  EXPECT_EQ(parsed.names.size(), 5U);
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("1", "4"));
  EXPECT_THAT(parsed.labels_of(1), ElementsAre("2"));
  EXPECT_THAT(parsed.labels_of(2), IsEmpty());
  EXPECT_EQ(parsed.features_of(1), "");
}

TEST(XmcPair, ComplainsAboutWhatDoesNotFitTogether) {
  EXPECT_EQ(read_error("1 4\n0:1\n", {}, "2 5\n1:1\n1:1\n"),
            "data declares 1 rows, but labels declares 2; they must be the same");
  EXPECT_THAT(read_error("1 4\n0:1\n"), HasSubstr("give its labels as a label file"));
  EXPECT_THAT(read_error("1 4\n0:1\n", {}, "1 5\n5:1\n"), HasSubstr("labels:2: label 5"));
  EXPECT_THAT(read_error("2 4\n0:1\n1:1\n", {}, "2 5\n1:1\n"),
              HasSubstr("labels: expected 2 rows as the header declares, found 1"));
}

TEST(XmcPair, LeavesOutRowsThatAreBadInEitherFile) {
  ReadOptions options;
  options.skip_bad = 2;
  const Parsed parsed =
      read_bytes("4 4\n0:1\nbad\n2:1\n3:1\n", options, "4 5\n0:1\n1:1\nbad\n3:1\n");
  ASSERT_EQ(parsed.data.rows, 2U);
  EXPECT_EQ(parsed.features_of(0), "0:1");
  EXPECT_EQ(parsed.features_of(1), "3:1");
  EXPECT_THAT(parsed.labels_of(1), ElementsAre("3"));
  EXPECT_EQ(parsed.data.labels.rows(), 2U);
}

TEST(Svmlight, ReadsNamesCommentsAndQueries) {
  const Parsed parsed =
      read_bytes("# made by hand\n+1 qid:3 1:0.5 2:1 # first\n\nspam,-1 7:1\n 3:1\n2:1#x\n \n");
  EXPECT_EQ(parsed.schema.format, Format::kSvmlight);
  ASSERT_EQ(parsed.data.rows, 5U);
  EXPECT_THAT(parsed.labels_of(0), ElementsAre("1"));
  EXPECT_THAT(parsed.labels_of(1), ElementsAre("spam", "-1"));
  EXPECT_EQ(parsed.features_of(0), "1:0.5 2:1");
  EXPECT_EQ(parsed.features_of(3), "2:1");
  EXPECT_EQ(parsed.data.features.num_columns, 8U);
  EXPECT_EQ(parsed.report.empty_rows, 1U);
}

TEST(Svmlight, NamesFileLineExpectedAndFound) {
  EXPECT_THAT(read_error("1 1:1\n1 2:x\n"), HasSubstr("data:2: expected a finite number"));
  EXPECT_THAT(read_error("1 1:1\na,,b 2:1\n"), HasSubstr("single commas"));
  EXPECT_THAT(read_error("1 1:1\n\xff 2:1\n"), HasSubstr("data:2: expected UTF-8, found \"\\xff"));
  EXPECT_THAT(read_error("1 1:1\n1 4294967295:1\n"), HasSubstr("4294967295"));
}

}  // namespace
}  // namespace mhe::data

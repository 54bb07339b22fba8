// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

namespace mhe::model {
namespace {

using ::testing::HasSubstr;

TEST(LayoutJson, ReadsBackWhatItWrote) {
  for (const DataLayout& layout : {DataLayout{.format = Format::kCsv,
                                  .columns = {"a,b", "\"c\"", ""},
                                  .text_columns = {"a,b"},
                                  .label_column = "\xc3\xa9",
                                  .label_separator = "\n"},
                                   DataLayout{.format = Format::kFastText, .label_prefix = "#"},
                                   DataLayout{.format = Format::kSvmlight, .index_base = 1},
                                   DataLayout{.format = Format::kXmcPair, .index_base = 0}}) {
    EXPECT_EQ(layout_from_json(layout_to_json(layout), "x"), layout) << layout_to_json(layout);
  }
}

TEST(LayoutJson, LeavesOutWhatItDoesNotKnow) {
  EXPECT_EQ(layout_from_json(R"({"format": "tsv", "encoding": {"later": 1}})", "x").format,
            Format::kTsv);
}

TEST(LayoutJson, RefusesWhatIsDamaged) {
  for (const char* const json :
       {"", "[]", "{}", R"({"format": 3})", R"({"format": "odd"})",
        R"({"format": "csv", "columns": "a"})", R"({"format": "csv", "columns": [1]})",
        R"({"format": "csv", "label_column": []})", R"({"format": "xmc", "index_base": 2})",
        R"({"format": "xmc", "index_base": -1})", R"({"format": "xmc", "index_base": 1e308})",
        R"({"format": "xmc", "index_base": 18446744073709551616})"}) {
    try {
      (void)layout_from_json(json, "m.mhe");
      ADD_FAILURE() << json;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidData) << json;
      EXPECT_THAT(error.what(), HasSubstr("m.mhe"));
    }
  }
}

}  // namespace
}  // namespace mhe::model

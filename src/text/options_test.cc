// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/options.h"

#include <functional>

#include <gtest/gtest.h>

#include <mhe/error.h>

namespace mhe::text {
namespace {

TEST(TextOptions, SurviveJson) {
  TextOptions options;
  options.fields = {{.name = "title", .own = true, .weight = 2.5, .char_min = 3, .char_max = 5},
                    {.name = "text"}};
  options.word_ngrams = 2;
  options.min_df = 3;
  options.max_df = 0.5;
  options.sublinear_tf = false;
  EXPECT_EQ(options_from_json(options_to_json(options)), options);
}

TEST(TextOptions, KeepDefaultsThatJsonDoesNotName) {
  EXPECT_EQ(options_from_json("{}"), TextOptions{});
  EXPECT_EQ(options_from_json(R"({"min_df": 7})").min_df, 7U);
}

TEST(TextOptions, RefuseJsonThatIsNotTheirs) {
  for (const char* json :
       {"", "[]", "{", R"({"min_df": "x"})", R"({"min_df": -1})", R"({"min_dff": 1})",
        R"({"word_ngrams": 4294967296})", R"({"binary": 1})", R"({"fields": 3})",
        R"({"fields": [3]})", R"({"max_df": []})"}) {
    EXPECT_THROW((void)options_from_json(json), Error) << json;
  }
}

TEST(TextOptions, RefuseWhatCannotBe) {
  const std::vector<std::function<void(TextOptions&)>> wrongs = {
      [](TextOptions& o) { o.fields.clear(); },
      [](TextOptions& o) {
        o.fields = {{}, {}};
      },
      [](TextOptions& o) { o.fields[0].name.clear(); },
      [](TextOptions& o) { o.fields[0].common = false; },
      [](TextOptions& o) { o.fields[0].weight = 0; },
      [](TextOptions& o) { o.word_ngrams = 6; },
      [](TextOptions& o) { o.word_ngrams = 0; },
      [](TextOptions& o) { o.char_max = 3; },
      [](TextOptions& o) { o.char_min = 3; },
      [](TextOptions& o) { o.max_df = 0; },
      [](TextOptions& o) { o.max_df = 1.5; },
      [](TextOptions& o) { o.hash_bits = 3; },
      [](TextOptions& o) { o.hash_bits = 29; },
      [](TextOptions& o) { o.hash_bits = 20, o.max_features = 5; },
  };
  for (std::size_t i = 0; i < wrongs.size(); ++i) {
    TextOptions options;
    wrongs[i](options);
    EXPECT_THROW(validate(options), Error) << i;
  }
  EXPECT_NO_THROW(validate(TextOptions{}));
}

}  // namespace
}  // namespace mhe::text

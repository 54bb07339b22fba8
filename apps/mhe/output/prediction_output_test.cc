// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/prediction_output.h"

#include <gtest/gtest.h>

namespace mhe::app {
namespace {

TEST(QuoteLabel, LeavesOrdinaryLabelsAlone) {
  for (const char* const label : {"a", "http://x:1", "5\"", "{x}", "é", "a,b;c"}) {
    EXPECT_EQ(quote_label(label), label);
  }
}

TEST(QuoteLabel, QuotesWhatALineWouldTearApart) {
  EXPECT_EQ(quote_label("New York"), "\"New York\"");
  EXPECT_EQ(quote_label("a\tb"), "\"a\\tb\"");
  EXPECT_EQ(quote_label("\"x\""), "\"\\\"x\\\"\"");
  EXPECT_EQ(quote_label(""), "\"\"");
  EXPECT_EQ(quote_label("a\nb"), "\"a\\nb\"");
}

TEST(QuoteLabel, DoesNotFailOnBrokenUtf8) {
  EXPECT_EQ(quote_label("a \xff"), "\"a \xef\xbf\xbd\"");
}

}  // namespace
}  // namespace mhe::app

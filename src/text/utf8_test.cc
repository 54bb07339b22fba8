// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/utf8.h"

#include <gtest/gtest.h>

namespace mhe::text {
namespace {

TEST(Utf8, WritesOneToFourBytesAndReadsThemAgain) {
  std::string text;
  for (const char32_t c : {U'A', U'\u00e9', U'\u4e00', U'\U00020000'}) append_code_point(text, c);
  EXPECT_EQ(text, "A\u00e9\u4e00\U00020000");
  std::size_t position = 0;
  EXPECT_EQ(next_code_point(text, position), U'A');
  EXPECT_EQ(next_code_point(text, position), U'\u00e9');
  EXPECT_EQ(next_code_point(text, position), U'\u4e00');
  EXPECT_EQ(next_code_point(text, position), U'\U00020000');
  EXPECT_EQ(position, text.size());
}

TEST(Utf8, WhatIsNoUtf8ReadsAsReplacement) {
  std::size_t position = 0;
  EXPECT_EQ(next_code_point("\xff", position), 0xFFFDU);
  EXPECT_EQ(position, 1U);
}

}  // namespace
}  // namespace mhe::text

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/ascii.h"

#include <gtest/gtest.h>

namespace mhe {
namespace {

TEST(Ascii, LowersOnlyLetters) {
  EXPECT_EQ(to_lower('A'), 'a');
  EXPECT_EQ(to_lower('Z'), 'z');
  for (const char c : {'@', '[', 'a', '0', '\0', '\xC4'}) EXPECT_EQ(to_lower(c), c);
}

TEST(Ascii, ComparesWholeWordsIgnoringCase) {
  EXPECT_TRUE(equal_ignoring_case("Labels", "lABELS"));
  EXPECT_FALSE(equal_ignoring_case("label", "labels"));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));  // as far apart as A and a
}

}  // namespace
}  // namespace mhe

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "flags/checks.h"

#include <gtest/gtest.h>

namespace mhe::app {
namespace {

TEST(Checks, AcceptTheirBounds) {
  EXPECT_EQ(number_between(0, 1)("0"), "");
  EXPECT_EQ(number_between(0, 1)("1.0"), "");
  EXPECT_EQ(whole_between(1, 9)("9"), "");
  EXPECT_EQ(one_of({"fast", "best"})("best"), "");
}

TEST(Checks, SayWhatWasExpectedAndFound) {
  EXPECT_EQ(number_between(0, 1e6)("-1"), "expected a number from 0 to 1000000, found -1");
  EXPECT_EQ(number_between(0, 1)("nan"), "expected a number from 0 to 1, found nan");
  EXPECT_EQ(whole_between(1, 9)("1.5"), "expected a whole number from 1 to 9, found 1.5");
  EXPECT_EQ(whole_between(1, 9)("10"), "expected a whole number from 1 to 9, found 10");
  EXPECT_EQ(one_of({"a", "b", "c"})("d"), "expected a, b or c, found d");
}

}  // namespace
}  // namespace mhe::app

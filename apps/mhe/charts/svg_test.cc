// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "charts/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mhe::app {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(EscapeMarkup, LeavesNothingThatMarkupWouldRead) {
  EXPECT_EQ(escape_markup("<script>a && 'b'</script> \"c\""),
            "&lt;script&gt;a &amp;&amp; &#39;b&#39;&lt;/script&gt; &quot;c&quot;");
  EXPECT_EQ(escape_markup("tab\there, null\x01 too"), "tab here, null  too");
  EXPECT_EQ(escape_markup("Äpfel 苹果"), "Äpfel 苹果");
}

TEST(Shorten, CutsBetweenCharacters) {
  EXPECT_EQ(shorten("apple", 5), "apple");
  EXPECT_EQ(shorten("apples", 5), "appl…");
  EXPECT_EQ(shorten("苹果和梨", 4), "苹果和梨");
  EXPECT_EQ(shorten("苹果和梨子", 4), "苹果和…");
  EXPECT_EQ(shorten("", 4), "");
}

TEST(RoundTicks, CoverTheRangeInRoundSteps) {
  EXPECT_THAT(round_ticks(0, 100, 5), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(round_ticks(3, 17, 5), ElementsAre(0, 5, 10, 15, 20));
  EXPECT_THAT(round_ticks(0, 0.3, 5), ElementsAre(0, DoubleEq(0.1), DoubleEq(0.2), DoubleEq(0.3)));
  EXPECT_THAT(round_ticks(-4, 5, 5), ElementsAre(-4, -2, 0, 2, 4, 6));
}

TEST(FormatTick, IsShort) {
  EXPECT_EQ(format_tick(0), "0");
  EXPECT_EQ(format_tick(0.1 + 0.2), "0.3");
  EXPECT_EQ(format_tick(12000), "12,000");
  EXPECT_EQ(format_tick(-2500), "-2,500");
}

}  // namespace
}  // namespace mhe::app

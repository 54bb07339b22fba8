// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/units.h"

#include <gtest/gtest.h>

#include "flags/usage_error.h"

namespace mhe::app {
namespace {

TEST(ParseBytes, ReadsDecimalAndBinaryUnits) {
  EXPECT_EQ(parse_bytes("4096"), 4096U);
  EXPECT_EQ(parse_bytes("2G"), 2'000'000'000U);
  EXPECT_EQ(parse_bytes("2gb"), 2'000'000'000U);
  EXPECT_EQ(parse_bytes("512Mi"), 512U << 20);
  EXPECT_EQ(parse_bytes("1.5KiB"), 1536U);
}

TEST(ParseBytes, RefusesWhatIsNoAmount) {
  for (const char* text : {"", "G", "-1G", "0", "1X", "1GG", "2 G", "nan", "inf", "1e30T"}) {
    EXPECT_THROW((void)parse_bytes(text), UsageError) << text;
  }
}

TEST(Format, IsShortAndExactEnough) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1728000), "1,728,000");
  EXPECT_EQ(format_count(0, "row"), "0 rows");
  EXPECT_EQ(format_count(1, "row"), "1 row");
  EXPECT_EQ(format_count(1728000, "row"), "1,728,000 rows");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(3'400'000), "3.4 MB");
  EXPECT_EQ(format_bytes(999'600), "1.0 MB");
  EXPECT_EQ(format_seconds(3.14), "3 s");
  EXPECT_EQ(format_seconds(75.2), "1:15");
  EXPECT_EQ(format_seconds(3725), "1:02:05");
}

TEST(RoundFigure, KeepsTenDigitsAndDropsNoise) {
  EXPECT_EQ(round_figure(30.000000000000004), 30.0);
  EXPECT_EQ(round_figure(100 * (0.1 + 0.2)), 30.0);
  EXPECT_EQ(round_figure(100.0 / 3), 33.33333333);
  EXPECT_EQ(round_figure(-1.0 / 3e6), -3.333333333e-07);
  EXPECT_EQ(round_figure(0), 0.0);
}

}  // namespace
}  // namespace mhe::app

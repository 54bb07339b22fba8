// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/number.h"

#include <bit>
#include <charconv>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace mhe::data {
namespace {

std::string random_decimal(RandomStream& random) {
  std::string text = random.below(4) == 0 ? "-" : "";
  for (std::uint64_t i = random.below(12); i > 0; --i) {
    text += static_cast<char>('0' + random.below(10));
  }
  if (random.below(4) != 0) text += '.';
  for (std::uint64_t i = random.below(14); i > 0; --i) {
    text += static_cast<char>('0' + random.below(10));
  }
  if (random.below(8) == 0) text += fmt::format("e{}", static_cast<int>(random.below(90)) - 45);
  return text;
}

// parse_float must agree with from_chars on where the number ends and on its bits.
void expect_same(const std::string& text) {
  const char* const end = text.data() + text.size();
  float expected = 0;
  const auto [stop, status] = std::from_chars(text.data(), end, expected);
  if (status == std::errc::result_out_of_range) return;  // ours differs on purpose
  float found = 0;
  const char* const found_stop = parse_float(text.data(), end, found);
  if (status != std::errc()) {
    EXPECT_EQ(found_stop, nullptr) << text;
    return;
  }
  ASSERT_EQ(found_stop, stop) << text;
  EXPECT_EQ(std::bit_cast<std::uint32_t>(found), std::bit_cast<std::uint32_t>(expected)) << text;
}

TEST(ParseFloat, EqualsFromCharsOnRandomDecimals) {
  RandomStream random(20261, "number_test.decimals");
  for (int i = 0; i < 300'000; ++i) expect_same(random_decimal(random));
}

TEST(ParseFloat, EqualsFromCharsOnPrintedFloatsAndTheirMidpoints) {
  RandomStream random(20262, "number_test.floats");
  for (int i = 0; i < 100'000; ++i) {
    const auto exponent = static_cast<std::uint32_t>(100 + random.below(60));
    const std::uint32_t bits =
        (exponent << 23) | static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 23));
    const auto value = std::bit_cast<float>(bits);
    const auto next = std::bit_cast<float>(bits + 1);
    expect_same(fmt::format("{}", value));
    const double middle = (static_cast<double>(value) + static_cast<double>(next)) / 2;
    expect_same(fmt::format("{:.17g}", middle));
    expect_same(fmt::format("{:.12f}", middle));
  }
}

TEST(ParseFloat, EqualsFromCharsAtHalfWayCases) {
  for (const char* text : {"16777217", "16777219", "33554433.0000001", "0.5", "8388608.5",
                           "8388609.5", "9007199254740993", "18446744073709551615", "1e-45"}) {
    expect_same(text);
  }
}

float parsed(const std::string& text) {
  float value = -1;
  const char* const stop = parse_float(text.data(), text.data() + text.size(), value);
  return stop == text.data() + text.size() ? value : std::numeric_limits<float>::quiet_NaN();
}

TEST(ParseFloat, TakesWhatPeopleWrite) {
  EXPECT_EQ(parsed("+1.5"), 1.5F);
  EXPECT_EQ(parsed(".5"), 0.5F);
  EXPECT_EQ(parsed("5."), 5.0F);
  EXPECT_EQ(parsed("1E3"), 1000.0F);
  EXPECT_EQ(parsed("1e-60"), 0.0F);
  EXPECT_EQ(parsed("1e-999"), 0.0F);
  EXPECT_EQ(parsed("0.00000000000000000000000000000000000000000000000000000001"), 0.0F);
}

TEST(ParseFloat, RefusesWhatIsNotAFiniteNumber) {
  for (const char* text : {"", "-", "+", "+-1", ".", "nan", "inf", "-inf", "1e39", "1e400", "x"}) {
    float value = 0;
    const std::string copy = text;
    EXPECT_EQ(parse_float(copy.data(), copy.data() + copy.size(), value), nullptr) << text;
  }
}

TEST(ParseUint32, StopsBehindTheDigitsAndRefusesOverflow) {
  std::uint32_t value = 0;
  const std::string number = "4294967295:";
  EXPECT_EQ(parse_uint32(number.data(), number.data() + number.size(), value), number.data() + 10);
  EXPECT_EQ(value, 4294967295U);
  for (const std::string text : {"4294967296", "-1", "", "99999999999999999999999"}) {
    EXPECT_EQ(parse_uint32(text.data(), text.data() + text.size(), value), nullptr) << text;
  }
}

}  // namespace
}  // namespace mhe::data

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers in text, fast. Raw pointers here, as in kernels: this is the inner loop of every reader.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace mhe::data {

[[nodiscard]] inline bool is_digit(char c) noexcept {
  return static_cast<unsigned char>(c - '0') < 10;
}

/// Parses the unsigned integer that [at, end) begins with. Returns where it ends; nullptr if there
/// is none or it does not fit 32 bits.
[[nodiscard]] inline const char* parse_uint32(const char* at, const char* end,
                                              std::uint32_t& value) noexcept {
  std::uint64_t number = 0;
  const char* const begin = at;
  for (; at != end && is_digit(*at); ++at) {
    number = number * 10 + static_cast<std::uint64_t>(*at - '0');
    if (number > std::numeric_limits<std::uint32_t>::max()) return nullptr;
  }
  value = static_cast<std::uint32_t>(number);
  return at == begin ? nullptr : at;
}

/// The slow road of parse_float: std::from_chars, without "nan", "inf" and what does not fit.
[[nodiscard]] const char* parse_float_fallback(const char* at, const char* end,
                                               float& value) noexcept;

/// Parses the finite decimal number that [at, end) begins with, rounded to the nearest float as
/// std::from_chars does, bit for bit; a leading '+' is allowed and what is too small becomes zero.
/// Returns where it ends; nullptr if there is none or it is too large.
///
/// Digits gather in a 64-bit integer m; the value is m / 10^k. If m < 2^53 and k <= 22 both are
/// exact doubles, so the quotient is correctly rounded to double, and rounding that to float is
/// right too unless it lies exactly half-way between two floats (Clinger 1990 for the first half).
[[nodiscard]] inline const char* parse_float(const char* at, const char* end,
                                             float& value) noexcept {
  constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr std::uint64_t kMaxExact = std::uint64_t{1} << 53;
  constexpr std::ptrdiff_t kMaxDigits = 19;  // any 19 digits fit 64 bits
  const char* const begin = at;
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  std::uint64_t mantissa = 0;
  const char* const digits = at;
  while (at != end && is_digit(*at)) {
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at++ - '0');
  }
  std::ptrdiff_t num_digits = at - digits;
  std::ptrdiff_t num_decimals = 0;
  if (at != end && *at == '.') {
    const char* const decimals = ++at;
    while (at != end && is_digit(*at)) {
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at++ - '0');
    }
    num_decimals = at - decimals;
    num_digits += num_decimals;
  }
  const bool has_exponent = at != end && (*at | 0x20) == 'e';
  if (num_digits == 0 || num_digits > kMaxDigits || mantissa > kMaxExact || has_exponent) {
    return parse_float_fallback(begin, end, value);
  }
  const double magnitude = static_cast<double>(mantissa) / kPowersOfTen[num_decimals];
  constexpr std::uint64_t kDroppedBits = (std::uint64_t{1} << 29) - 1;  // 53 - 24 bits
  constexpr std::uint64_t kHalfWay = std::uint64_t{1} << 28;
  if ((std::bit_cast<std::uint64_t>(magnitude) & kDroppedBits) == kHalfWay) {
    return parse_float_fallback(begin, end, value);
  }
  value = static_cast<float>(negative ? -magnitude : magnitude);
  return at;
}

}  // namespace mhe::data

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on sizes that come from files and flags: overflow is an error, never a wrap.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/check.h"

namespace mhe {

/// a + b; throws kResourceLimit, naming `what`, if it does not fit.
template <std::unsigned_integral T>
[[nodiscard]] T checked_add(T a, T b, std::string_view what) {
  T sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    fail(ErrorCode::kResourceLimit, "{}: {} + {} is too large to count", what, a, b);
  }
  return sum;
}

/// a * b; throws kResourceLimit, naming `what`, if it does not fit.
template <std::unsigned_integral T>
[[nodiscard]] T checked_mul(T a, T b, std::string_view what) {
  T product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    fail(ErrorCode::kResourceLimit, "{}: {} x {} is too large to count", what, a, b);
  }
  return product;
}

/// a / b, rounded up.
[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) noexcept {
  return a / b + (a % b == 0 ? 0 : 1);
}

/// `value` as a narrower integer; throws kResourceLimit, naming `what`, if it does not fit.
template <std::integral To, std::integral From>
[[nodiscard]] To checked_cast(From value, std::string_view what) {
  if (!std::in_range<To>(value)) {
    fail(ErrorCode::kResourceLimit, "{} is {}; at most {} is supported", what, value,
         std::numeric_limits<To>::max());
  }
  return static_cast<To>(value);
}

}  // namespace mhe

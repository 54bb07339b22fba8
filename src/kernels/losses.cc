// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/losses.h"

#include <bit>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/losses.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/losses-inl.h"

#if HWY_ONCE
namespace mhe::kernels {

HWY_EXPORT(max_sum);
HWY_EXPORT(max_sum_columns);
HWY_EXPORT(scale_exp);
HWY_EXPORT(scale_exp_each);
HWY_EXPORT(scale_sigmoid);
HWY_EXPORT(log_sigmoid);

MaxSum max_sum(const float* scores, std::size_t size) noexcept {
  return HWY_DYNAMIC_DISPATCH(max_sum)(scores, size);
}

void max_sum_columns(const float* scores, std::size_t stride, std::size_t rows, std::size_t columns,
                     float* max, float* sum) noexcept {
  HWY_DYNAMIC_DISPATCH(max_sum_columns)(scores, stride, rows, columns, max, sum);
}

void scale_exp(float* scores, std::size_t size, float shift, float scale) noexcept {
  HWY_DYNAMIC_DISPATCH(scale_exp)(scores, size, shift, scale);
}

void scale_exp_each(float* scores, std::size_t size, const float* shift,
                    const float* scale) noexcept {
  HWY_DYNAMIC_DISPATCH(scale_exp_each)(scores, size, shift, scale);
}

float scale_sigmoid(float* scores, std::size_t size, float scale) noexcept {
  return HWY_DYNAMIC_DISPATCH(scale_sigmoid)(scores, size, scale);
}

void log_sigmoid(float* scores, std::size_t size) noexcept {
  HWY_DYNAMIC_DISPATCH(log_sigmoid)(scores, size);
}

double portable_log(double x) noexcept {
  // x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 artanh(s), s = (m - 1) / (m + 1) <= 0.172.
  constexpr double kLog2 = 0x1.62e42fefa39efp-1;
  constexpr std::uint64_t kHalfRoot = 0x3FE6A09E667F3BCD;  // bits of sqrt(1/2)
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<std::int64_t>(bits - kHalfRoot) >> 52U;
  const double mantissa =
      std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52U));
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double series = 0;  // up to s^19: the next term is below 2^-52 of the first
  for (int odd = 19; odd > 0; odd -= 2) series = series * square + 1.0 / odd;
  return static_cast<double>(exponent) * kLog2 + 2 * s * series;
}

}  // namespace mhe::kernels
#endif

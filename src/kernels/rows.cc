// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/rows-inl.h"

#if HWY_ONCE
namespace mhe::kernels {

HWY_EXPORT(sum);
HWY_EXPORT(sum_squares);
HWY_EXPORT(move_row);
HWY_EXPORT(add_row);
HWY_EXPORT(pull_rows);
HWY_EXPORT(share_rows);
HWY_EXPORT(add_weighted_rows);
HWY_EXPORT(count_not_above);

float sum(const float* row, std::size_t size) noexcept {
  return HWY_DYNAMIC_DISPATCH(sum)(row, size);
}

float sum_squares(const float* row, std::size_t size) noexcept {
  return HWY_DYNAMIC_DISPATCH(sum_squares)(row, size);
}

void move_row(float* row, const float* gradient, std::size_t size, float keep,
              float step) noexcept {
  HWY_DYNAMIC_DISPATCH(move_row)(row, gradient, size, keep, step);
}

void add_row(float* row, const float* other, std::size_t size) noexcept {
  HWY_DYNAMIC_DISPATCH(add_row)(row, other, size);
}

void pull_rows(const PulledRows& p) noexcept {
  HWY_DYNAMIC_DISPATCH(pull_rows)(p);
}

void share_rows(const SharedRows& p) noexcept {
  HWY_DYNAMIC_DISPATCH(share_rows)(p);
}

void add_weighted_rows(const WeightedRows& p, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(add_weighted_rows)(p, out);
}

void prefetch_row(const float* row, std::size_t size) noexcept {
  constexpr std::size_t kLineFloats = 16;
  for (std::size_t i = 0; i < size; i += kLineFloats) hwy::Prefetch(row + i);
}

std::size_t count_not_above(const float* scores, std::size_t size, float bound) noexcept {
  return HWY_DYNAMIC_DISPATCH(count_not_above)(scores, size, bound);
}

}  // namespace mhe::kernels
#endif

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by weighted_rows.cc.
#if defined(MHE_KERNELS_WEIGHTED_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_WEIGHTED_ROWS_INL_H
#undef MHE_KERNELS_WEIGHTED_ROWS_INL_H
#else
#define MHE_KERNELS_WEIGHTED_ROWS_INL_H
#endif

#include <cstddef>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/weighted_rows.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums that stay in registers from the first row to the last: eight hide the latency of two
// multiply-adds a cycle, and leave room for as many more where there are 16 registers.
constexpr std::size_t kSums = 8;
// Rows lie anywhere in a table that no near cache holds: they are prefetched this many ahead.
constexpr std::size_t kRowsAhead = 8;

// `width` floats of a row from `column` on.
HWY_INLINE void prefetch(const WeightedRows& p, std::size_t row, std::size_t column,
                         std::size_t width) {
  constexpr std::size_t kLineFloats = 16;
  const float* from = p.table + std::size_t{p.rows[row]} * p.width + column;
  for (std::size_t i = 0; i < width; i += kLineFloats) hwy::Prefetch(from + i);
}

// Columns [column, column + Count vectors).
template <std::size_t Count, class D>
HWY_INLINE void add_columns(D d, const WeightedRows& p, std::size_t column,
                            float* HWY_RESTRICT out) {
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t size = p.rows.size();
  hn::Vec<D> sums[Count];
  HWY_UNROLL(16)
  for (std::size_t v = 0; v < Count; ++v) sums[v] = hn::LoadU(d, out + column + v * lanes);
  const auto add_row = [&](std::size_t j) HWY_ATTR {
    const float* HWY_RESTRICT row = p.table + std::size_t{p.rows[j]} * p.width + column;
    const auto weight = hn::Set(d, p.weights[j]);
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < Count; ++v) {
      sums[v] = hn::MulAdd(weight, hn::LoadU(d, row + v * lanes), sums[v]);
    }
  };
  for (std::size_t j = 0; j < HWY_MIN(kRowsAhead, size); ++j) prefetch(p, j, column, Count * lanes);
  std::size_t j = 0;
  for (; j + kRowsAhead < size; ++j) {
    prefetch(p, j + kRowsAhead, column, Count * lanes);
    add_row(j);
  }
  for (; j < size; ++j) add_row(j);
  HWY_UNROLL(16)
  for (std::size_t v = 0; v < Count; ++v) hn::StoreU(sums[v], d, out + column + v * lanes);
}

HWY_NOINLINE void add_weighted_rows(const WeightedRows& p, float* HWY_RESTRICT out) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + kSums * lanes <= p.width; i += kSums * lanes) add_columns<kSums>(d, p, i, out);
  for (; i + lanes <= p.width; i += lanes) add_columns<1>(d, p, i, out);
  for (; i < p.width; ++i) add_columns<1>(hn::CappedTag<float, 1>(), p, i, out);
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

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

#include <algorithm>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/weighted_rows.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `Count` rows at once: the sum is loaded and stored once for all of them.
template <std::size_t Count>
HWY_INLINE void add_some(const WeightedRows& p, std::size_t first, float* HWY_RESTRICT out) {
  const hn::ScalableTag<float> d;
  using Vec = hn::Vec<decltype(d)>;
  const std::size_t step = hn::Lanes(d);
  const float* rows[Count];
  Vec weights[Count];
  for (std::size_t j = 0; j < Count; ++j) {
    rows[j] = p.table + std::size_t{p.rows[first + j]} * p.width;
    weights[j] = hn::Set(d, p.weights[first + j]);
  }
  std::size_t i = 0;
  for (; i + step <= p.width; i += step) {
    Vec sum = hn::LoadU(d, out + i);
    for (std::size_t j = 0; j < Count; ++j) {
      sum = hn::MulAdd(weights[j], hn::LoadU(d, rows[j] + i), sum);
    }
    hn::StoreU(sum, d, out + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < p.width; ++i) {
    auto sum = hn::LoadU(one, out + i);
    for (std::size_t j = 0; j < Count; ++j) {
      sum = hn::MulAdd(hn::Set(one, p.weights[first + j]), hn::LoadU(one, rows[j] + i), sum);
    }
    hn::StoreU(sum, one, out + i);
  }
}

// Rows lie anywhere in a table that no cache holds: the first lines of those to come are asked for
// while others are added; the machine's own prefetcher sees to the rest of a row.
HWY_INLINE void prefetch(const WeightedRows& p, std::size_t first, std::size_t count) {
  constexpr std::size_t kLines = 2;
  constexpr std::size_t kLineFloats = 16;
  const std::size_t end = std::min(p.rows.size(), first + count);
  for (std::size_t j = first; j < end; ++j) {
    const float* row = p.table + std::size_t{p.rows[j]} * p.width;
    for (std::size_t line = 0; line < kLines && line * kLineFloats < p.width; ++line) {
      hwy::Prefetch(row + line * kLineFloats);
    }
  }
}

HWY_NOINLINE void add_weighted_rows(const WeightedRows& p, float* HWY_RESTRICT out) {
  constexpr std::size_t kAtOnce = 4;  // rows; more would want more weights in registers than helps
  std::size_t j = 0;
  for (; j + kAtOnce <= p.rows.size(); j += kAtOnce) {
    prefetch(p, j + kAtOnce, kAtOnce);
    add_some<kAtOnce>(p, j, out);
  }
  for (; j < p.rows.size(); ++j) add_some<1>(p, j, out);
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

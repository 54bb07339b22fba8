// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by rows.cc.
#if defined(MHE_KERNELS_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_ROWS_INL_H
#undef MHE_KERNELS_ROWS_INL_H
#else
#define MHE_KERNELS_ROWS_INL_H
#endif

#include <cstddef>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/lanes-inl.h"
#include "kernels/rows.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

float sum(const float* row, std::size_t size) {
  LaneVec total[kLaneParts];
  for (LaneVec& t : total) t = hn::Zero(LaneTag());
  for_each_lanes(row, size, 0, [&](std::size_t part, LaneVec x, std::size_t /*count*/) {
    total[part] = hn::Add(total[part], x);
  });
  return add_lanes(total);
}

float sum_squares(const float* row, std::size_t size) {
  LaneVec total[kLaneParts];
  for (LaneVec& t : total) t = hn::Zero(LaneTag());
  for_each_lanes(row, size, 0, [&](std::size_t part, LaneVec x, std::size_t /*count*/) {
    total[part] = hn::MulAdd(x, x, total[part]);
  });
  return add_lanes(total);
}

void move_row(float* row, const float* gradient, std::size_t size, float keep, float step) {
  const LaneTag d;
  map_lanes(row, size, [&](LaneVec x, std::size_t at, std::size_t count) {
    const LaneVec g = load_lanes(gradient + at, count);
    return hn::NegMulAdd(g, hn::Set(d, step), hn::Mul(x, hn::Set(d, keep)));
  });
}

void add_row(float* row, const float* other, std::size_t size) {
  map_lanes(row, size, [&](LaneVec x, std::size_t at, std::size_t count) {
    return hn::Add(x, load_lanes(other + at, count));
  });
}

// Rows side by side read and write the sum once, and are as many streams from memory.
template <std::size_t Rows>
HWY_INLINE void pull_tile(const PulledRows& p, std::size_t row) {
  const LaneTag d;
  const LaneVec keep = hn::Set(d, p.keep);
  LaneVec factor[Rows];
  LaneVec step[Rows];
  HWY_UNROLL(16)
  for (std::size_t r = 0; r < Rows; ++r) {
    factor[r] = hn::Set(d, p.factors[row + r]);
    step[r] = hn::Set(d, p.steps[row + r]);
  }
  float* HWY_RESTRICT rows = p.rows + row * p.dim;
  const bool is_last = row + 2 * Rows > p.num_rows;
  const float* ahead = is_last ? p.vector : rows + Rows * p.dim;
  const std::size_t ahead_stride = is_last ? 0 : p.dim;
  const auto run = [&](std::size_t at, std::size_t count) HWY_ATTR {
    const LaneVec x = load_lanes(p.vector + at, count);
    LaneVec sum = load_lanes(p.sum + at, count);
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < Rows; ++r) {
      hwy::Prefetch(ahead + r * ahead_stride + at);
      float* HWY_RESTRICT of_row = rows + r * p.dim + at;
      const LaneVec w = load_lanes(of_row, count);
      sum = hn::MulAdd(factor[r], w, sum);
      store_lanes(hn::NegMulAdd(x, step[r], hn::Mul(w, keep)), of_row, count);
    }
    store_lanes(sum, p.sum + at, count);
  };
  std::size_t at = 0;
  for (; at + kPartLanes <= p.dim; at += kPartLanes) run(at, kPartLanes);
  if (at < p.dim) run(at, p.dim - at);
}

void pull_rows(const PulledRows& p) {
  constexpr std::size_t kTogether = 4;
  std::size_t row = 0;
  for (; row + kTogether <= p.num_rows; row += kTogether) pull_tile<kTogether>(p, row);
  for (; row < p.num_rows; ++row) pull_tile<1>(p, row);
}

template <std::size_t Rows>
HWY_INLINE void share_tile(const SharedRows& p, std::size_t row) {
  const LaneTag d;
  const float* HWY_RESTRICT rows = p.rows + row * p.dim;
  const float* HWY_RESTRICT factors = p.factors + row;
  const bool is_last = row + 2 * Rows > p.num_rows + p.num_next;
  const float* ahead = is_last ? rows : rows + Rows * p.dim;
  const auto run = [&](std::size_t at, std::size_t count) HWY_ATTR {
    LaneVec w[Rows];
    LaneVec gradient[Rows];
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < Rows; ++r) {
      hwy::Prefetch(ahead + r * p.dim + at);
      w[r] = load_lanes(rows + r * p.dim + at, count);
      gradient[r] = hn::Zero(d);
    }
    const float* HWY_RESTRICT factor = factors;
    const float* HWY_RESTRICT vector = p.vectors + at;
    float* HWY_RESTRICT sums = p.sums + at;
    for (std::size_t v = 0; v < p.num_vectors; ++v) {
      const LaneVec x = hn::LoadU(d, vector);
      LaneVec sum = hn::LoadU(d, sums);
      HWY_UNROLL(16)
      for (std::size_t r = 0; r < Rows; ++r) {
        const LaneVec f = hn::Set(d, factor[r]);
        sum = hn::MulAdd(f, w[r], sum);
        gradient[r] = hn::MulAdd(f, x, gradient[r]);
      }
      hn::StoreU(sum, d, sums);
      factor += p.factor_stride;
      vector += p.vector_stride;
      sums += p.sum_stride;
    }
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < Rows; ++r) {
      hn::StoreU(gradient[r], d, p.gradients + (row + r) * p.gradient_stride + at);
    }
  };
  std::size_t at = 0;
  for (; at + kPartLanes <= p.dim; at += kPartLanes) run(at, kPartLanes);
  if (at < p.dim) run(at, p.dim - at);
}

void share_rows(const SharedRows& p) {
  // A row and its gradient each in a register, of which there are 32 (AVX-512) or 16.
  constexpr std::size_t kTogether = kLaneParts == 1 ? 8 : 4;
  std::size_t row = 0;
  for (; row + kTogether <= p.num_rows; row += kTogether) share_tile<kTogether>(p, row);
  if (kTogether > 4 && row + 4 <= p.num_rows) {
    share_tile<4>(p, row);
    row += 4;
  }
  switch (p.num_rows - row) {
    case 3:
      return share_tile<3>(p, row);
    case 2:
      return share_tile<2>(p, row);
    case 1:
      return share_tile<1>(p, row);
    default:
      return;
  }
}

std::size_t count_not_above(const float* scores, std::size_t size, float bound) {
  const LaneTag d;
  const LaneVec limit = hn::Set(d, bound);
  std::size_t at = 0;
  for (; at + kPartLanes <= size; at += kPartLanes) {
    const auto above = hn::Gt(hn::LoadU(d, scores + at), limit);
    const auto first = hn::FindFirstTrue(d, above);
    if (first >= 0) return at + static_cast<std::size_t>(first);
  }
  while (at < size && !(scores[at] > bound)) ++at;
  return at;
}

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

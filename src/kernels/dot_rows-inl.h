// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by gemm.cc.
#if defined(MHE_KERNELS_DOT_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_DOT_ROWS_INL_H
#undef MHE_KERNELS_DOT_ROWS_INL_H
#else
#define MHE_KERNELS_DOT_ROWS_INL_H
#endif

#include <cstddef>

#include <hwy/highway.h>

#include "kernels/gemm.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kDotLanes = 16;
using DotTag = hn::CappedTag<float, kDotLanes>;
using DotVec = hn::Vec<DotTag>;
constexpr std::size_t kDotParts = kDotLanes / HWY_MIN(kDotLanes, HWY_LANES(float));

// The lanes of a vector, added in halves.
template <class D>
HWY_INLINE float add_halves(D d, hn::Vec<D> v) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  return hn::GetLane(v);
#else
  if constexpr (MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    return add_halves(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    HWY_ALIGN float lanes[4];
    hn::Store(v, d, lanes);
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  }
#endif
}

// Sixteen lanes in as many vectors as that takes.
HWY_INLINE float add_lanes(DotVec* parts) {
  HWY_UNROLL(4)
  for (std::size_t half = kDotParts / 2; half > 0; half /= 2) {
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < half; ++i) parts[i] = hn::Add(parts[i], parts[i + half]);
  }
  return add_halves(DotTag(), parts[0]);
}

// Rows times Vectors products at a time, so that the chains of one hide the latency of another.
template <std::size_t Rows, std::size_t Vectors>
HWY_INLINE void dot_tile(const DotRows& p, std::size_t row, std::size_t vector) {
  const DotTag d;
  const std::size_t step = hn::Lanes(d);
  DotVec sum[Rows][Vectors][kDotParts];
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < Rows * Vectors * kDotParts; ++i) {
    (&sum[0][0][0])[i] = hn::Zero(d);
  }
  const float* HWY_RESTRICT rows = p.rows + row * p.row_stride;
  const float* HWY_RESTRICT vectors = p.vectors + vector * p.vector_stride;
  const std::size_t whole = p.k - p.k % kDotLanes;
  for (std::size_t at = 0; at < whole; at += kDotLanes) {
    HWY_UNROLL(16)
    for (std::size_t part = 0; part < kDotParts; ++part) {
      DotVec x[Vectors];
      HWY_UNROLL(16)
      for (std::size_t v = 0; v < Vectors; ++v) {
        x[v] = hn::LoadU(d, vectors + v * p.vector_stride + at + part * step);
      }
      HWY_UNROLL(16)
      for (std::size_t r = 0; r < Rows; ++r) {
        const DotVec w = hn::LoadU(d, rows + r * p.row_stride + at + part * step);
        HWY_UNROLL(16)
        for (std::size_t v = 0; v < Vectors; ++v) {
          sum[r][v][part] = hn::MulAdd(w, x[v], sum[r][v][part]);
        }
      }
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t v = 0; v < Vectors; ++v) {
      if (whole < p.k) {
        HWY_ALIGN float tails[2][kDotLanes] = {};
        for (std::size_t i = whole; i < p.k; ++i) {
          tails[0][i - whole] = rows[r * p.row_stride + i];
          tails[1][i - whole] = vectors[v * p.vector_stride + i];
        }
        for (std::size_t part = 0; part < kDotParts; ++part) {
          sum[r][v][part] = hn::MulAdd(hn::Load(d, tails[0] + part * step),
                                       hn::Load(d, tails[1] + part * step), sum[r][v][part]);
        }
      }
      p.out[(row + r) * p.out_stride + vector + v] = add_lanes(sum[r][v]);
    }
  }
}

template <std::size_t Vectors>
void dot_vectors(const DotRows& p, std::size_t vector) {
  // At most eight sums of sixteen lanes: 8 registers of 32 (AVX-512) or 16 of 16 (AVX2, where the
  // products of fewer rows are enough).
  constexpr std::size_t kRows = HWY_MAX(1, (kDotParts == 1 ? 8 : 4) / Vectors);
  std::size_t row = 0;
  for (; row + kRows <= p.num_rows; row += kRows) dot_tile<kRows, Vectors>(p, row, vector);
  for (; row < p.num_rows; ++row) dot_tile<1, Vectors>(p, row, vector);
}

void dot_rows(const DotRows& p) {
  std::size_t vector = 0;
  for (; vector + 4 <= p.num_vectors; vector += 4) dot_vectors<4>(p, vector);
  switch (p.num_vectors - vector) {
    case 3:
      return dot_vectors<3>(p, vector);
    case 2:
      return dot_vectors<2>(p, vector);
    case 1:
      return dot_vectors<1>(p, vector);
    default:
      return;
  }
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

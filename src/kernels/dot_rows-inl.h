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

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/gemm.h"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows times Vectors products at a time, so that the chains of one hide the latency of another.
template <std::size_t Rows, std::size_t Vectors>
HWY_INLINE void dot_tile(const DotRows& p, std::size_t row, std::size_t vector) {
  const LaneTag d;
  const std::size_t step = hn::Lanes(d);
  LaneVec sum[Rows][Vectors][kLaneParts];
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < Rows * Vectors * kLaneParts; ++i) {
    (&sum[0][0][0])[i] = hn::Zero(d);
  }
  const float* HWY_RESTRICT rows = p.rows + row * p.row_stride;
  const float* HWY_RESTRICT vectors = p.vectors + vector * p.vector_stride;
  // The next rows are asked for while these are worked on, a line (sixteen floats) of each at once.
  const bool is_last = row + 2 * Rows > p.num_rows;
  const float* HWY_RESTRICT ahead = is_last ? rows : rows + Rows * p.row_stride;
  const std::size_t whole = p.k - p.k % kLanes;
  for (std::size_t at = 0; at < whole; at += kLanes) {
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < Rows && Rows > 1; ++r) hwy::Prefetch(ahead + r * p.row_stride + at);
    HWY_UNROLL(16)
    for (std::size_t part = 0; part < kLaneParts; ++part) {
      LaneVec x[Vectors];
      HWY_UNROLL(16)
      for (std::size_t v = 0; v < Vectors; ++v) {
        x[v] = hn::LoadU(d, vectors + v * p.vector_stride + at + part * step);
      }
      HWY_UNROLL(16)
      for (std::size_t r = 0; r < Rows; ++r) {
        const LaneVec w = hn::LoadU(d, rows + r * p.row_stride + at + part * step);
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
        HWY_ALIGN float tails[2][kLanes] = {};
        for (std::size_t i = whole; i < p.k; ++i) {
          tails[0][i - whole] = rows[r * p.row_stride + i];
          tails[1][i - whole] = vectors[v * p.vector_stride + i];
        }
        for (std::size_t part = 0; part < kLaneParts; ++part) {
          sum[r][v][part] = hn::MulAdd(hn::Load(d, tails[0] + part * step),
                                       hn::Load(d, tails[1] + part * step), sum[r][v][part]);
        }
      }
      p.out[(row + r) * p.out_row_stride + (vector + v) * p.out_vector_stride] =
          add_lanes(sum[r][v]);
    }
  }
}

template <std::size_t Vectors>
void dot_vectors(const DotRows& p, std::size_t vector) {
  // Sums take up to 24 of 32 registers (AVX-512) or 8 of 16.
  constexpr std::size_t kRows =
      kLaneParts == 1 ? HWY_MIN(8, 24 / Vectors) : HWY_MAX(1, 8 / kLaneParts / Vectors);
  // Rows that come from memory are read one after the other, which machines foresee: 27 GB/s where
  // eight rows side by side, asked for ahead, give 14. In a cache side by side is the quicker.
  constexpr std::size_t kNearFloats = std::size_t{1} << 16;  // 256 KiB
  std::size_t row = 0;
  if (p.num_rows * p.row_stride < kNearFloats) {
    for (; row + kRows <= p.num_rows; row += kRows) dot_tile<kRows, Vectors>(p, row, vector);
  }
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

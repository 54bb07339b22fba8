// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by gemm.cc.
#if defined(MHE_KERNELS_GEMM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_GEMM_INL_H
#undef MHE_KERNELS_GEMM_INL_H
#else
#define MHE_KERNELS_GEMM_INL_H
#endif

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/gemm.h"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using GemmTag = hn::ScalableTag<float>;
using GemmVec = hn::Vec<GemmTag>;

// A tile of results lives in registers: 12 of 16, or 28 of 32 where there are as many (AVX-512);
// the rest hold a row of B and an element of A.
constexpr std::size_t kTileVectors = 2;
constexpr std::size_t kTileRows = HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86 ? 14 : 6;
constexpr std::size_t kTileColumns = kTileVectors * HWY_LANES(float);
// Rows of a strip of B that are copied together: 32 KiB at the widest, an L1 cache.
constexpr std::size_t kDepth = 256;
// Rows of A that meet a strip before the next is copied: with kDepth 168 KiB, a part of L2.
constexpr std::size_t kBlockRows = 168;
// Of fewer columns, reading A where it lies costs less than copying it.
constexpr std::size_t kMinColumnsToCopy = 4 * kTileColumns;
// Below it a copy of B costs more than it saves.
constexpr std::size_t kMinRowsToCopy = 24;

struct GemmTile {
  const float* HWY_RESTRICT a;
  std::size_t a_stride;
  const float* HWY_RESTRICT b;
  std::size_t b_stride;
  float* HWY_RESTRICT out;
  std::size_t out_stride;
  std::size_t k;
  bool accumulate;
};

template <std::size_t Rows, std::size_t Vectors, Layout LayoutOfA>
HWY_NOINLINE void compute_tile(const GemmTile& t) {
  const GemmTag d;
  const std::size_t lanes = hn::Lanes(d);
  GemmVec sum[Rows][Vectors];
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < Rows; ++i) {
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < Vectors; ++v) {
      sum[i][v] = t.accumulate ? hn::LoadU(d, t.out + i * t.out_stride + v * lanes) : hn::Zero(d);
    }
  }
  const float* HWY_RESTRICT a = t.a;
  const float* HWY_RESTRICT b = t.b;
  const std::size_t a_stride = t.a_stride;
  for (std::size_t p = 0; p < t.k; ++p) {
    GemmVec row[Vectors];
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < Vectors; ++v) row[v] = hn::LoadU(d, b + v * lanes);
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < Rows; ++i) {
      const GemmVec x = hn::Set(d, LayoutOfA == Layout::kRows ? a[i * a_stride] : a[i]);
      HWY_UNROLL(16)
      for (std::size_t v = 0; v < Vectors; ++v) sum[i][v] = hn::MulAdd(x, row[v], sum[i][v]);
    }
    a += LayoutOfA == Layout::kRows ? 1 : a_stride;
    b += t.b_stride;
  }
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < Rows; ++i) {
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < Vectors; ++v) {
      hn::StoreU(sum[i][v], d, t.out + i * t.out_stride + v * lanes);
    }
  }
}

using TileFunction = void (*)(const GemmTile&);

template <Layout LayoutOfA, std::size_t... Counts>
constexpr std::array<TileFunction, sizeof...(Counts)> tile_functions(
    std::index_sequence<Counts...>) {
  return {&compute_tile<Counts + 1, kTileVectors, LayoutOfA>...};
}

// [rows - 1]
template <Layout LayoutOfA>
HWY_INLINE TileFunction tile_function(std::size_t rows) {
  static constexpr auto kFunctions =
      tile_functions<LayoutOfA>(std::make_index_sequence<kTileRows>());
  return kFunctions[rows - 1];
}

HWY_INLINE void run_tile(const GemmTile& tile, std::size_t rows, Layout layout_of_a) {
  (layout_of_a == Layout::kRows ? tile_function<Layout::kRows>(rows)
                                : tile_function<Layout::kTransposed>(rows))(tile);
}

// A part of the problem: rows [row, row + m), columns [column, column + n), depth [depth, ...).
struct GemmPart {
  std::size_t row;
  std::size_t m;
  std::size_t column;
  std::size_t n;
  std::size_t depth;
  std::size_t k;
  const float* tiles = nullptr;  // its rows of A, if they were copied
};

HWY_INLINE const float* a_begin(const GemmProblem& p, std::size_t row, std::size_t depth) {
  return p.a.layout == Layout::kRows ? p.a.data + row * p.a.stride + depth
                                     : p.a.data + depth * p.a.stride + row;
}

// The rows of A that share a strip of B, at most kTileColumns wide.
void run_strip(const GemmProblem& p, const GemmPart& part, const float* b, std::size_t b_stride) {
  GemmTile tile = {nullptr, part.tiles != nullptr ? kTileRows : p.a.stride,
                   b,       b_stride,
                   nullptr, p.out_stride,
                   part.k,  p.accumulate || part.depth > 0};
  for (std::size_t i = 0; i < part.m; i += kTileRows) {
    const std::size_t rows = HWY_MIN(kTileRows, part.m - i);
    float* out = p.out + (part.row + i) * p.out_stride + part.column;
    tile.a = part.tiles != nullptr ? part.tiles + i * part.k : a_begin(p, part.row + i, part.depth);
    if (part.n == kTileColumns) {
      tile.out = out;
      run_tile(tile, rows, p.a.layout);
      continue;
    }
    HWY_ALIGN float edge[kTileRows * kTileColumns];
    for (std::size_t r = 0; r < rows && tile.accumulate; ++r) {
      for (std::size_t c = 0; c < kTileColumns; ++c) {
        edge[r * kTileColumns + c] = c < part.n ? out[r * p.out_stride + c] : 0.0F;
      }
    }
    tile.out = edge;
    tile.out_stride = kTileColumns;
    run_tile(tile, rows, p.a.layout);
    for (std::size_t r = 0; r < rows; ++r) {
      std::memcpy(out + r * p.out_stride, edge + r * kTileColumns, part.n * sizeof(float));
    }
  }
}

// A strip of B as [depth][kTileColumns], with zeros beyond its columns.
void copy_strip(const GemmProblem& p, const GemmPart& part, float* HWY_RESTRICT copy) {
  if (part.n < kTileColumns) std::memset(copy, 0, part.k * kTileColumns * sizeof(float));
  if (p.b.layout == Layout::kRows) {
    const float* HWY_RESTRICT from = p.b.data + part.depth * p.b.stride + part.column;
    for (std::size_t i = 0; i < part.k; ++i) {
      std::memcpy(copy + i * kTileColumns, from + i * p.b.stride, part.n * sizeof(float));
    }
    return;
  }
  for (std::size_t j = 0; j < part.n; ++j) {
    const float* HWY_RESTRICT from = p.b.data + (part.column + j) * p.b.stride + part.depth;
    for (std::size_t i = 0; i < part.k; ++i) copy[i * kTileColumns + j] = from[i];
  }
}

// Rows of a transposed A as tiles of [depth][kTileRows]: where they lie, every step in depth is on
// another page.
void copy_tiles(const GemmProblem& p, const GemmPart& part, float* HWY_RESTRICT copy) {
  for (std::size_t i = 0; i < part.k; ++i) {
    const float* HWY_RESTRICT from = a_begin(p, part.row, part.depth + i);
    for (std::size_t first = 0; first < part.m; first += kTileRows) {
      const std::size_t rows = HWY_MIN(kTileRows, part.m - first);
      std::memcpy(copy + first * part.k + i * kTileRows, from + first, rows * sizeof(float));
    }
  }
}

void run_rows(const GemmProblem& p, std::size_t row, std::size_t m) {
  HWY_ALIGN float copy[kDepth * kTileColumns];
  HWY_ALIGN float tiles[kDepth * kBlockRows];
  const bool should_copy_tiles =
      p.a.layout == Layout::kTransposed && m <= kBlockRows && p.n >= kMinColumnsToCopy;
  for (std::size_t depth = 0; depth < p.k; depth += kDepth) {
    GemmPart part = {row, m, 0, 0, depth, HWY_MIN(kDepth, p.k - depth)};
    if (should_copy_tiles) copy_tiles(p, part, tiles);
    part.tiles = should_copy_tiles ? tiles : nullptr;
    for (part.column = 0; part.column < p.n; part.column += kTileColumns) {
      part.n = HWY_MIN(kTileColumns, p.n - part.column);
      if (p.b.layout == Layout::kRows && part.n == kTileColumns && m < kMinRowsToCopy) {
        run_strip(p, part, p.b.data + depth * p.b.stride + part.column, p.b.stride);
        continue;
      }
      copy_strip(p, part, copy);
      run_strip(p, part, copy, kTileColumns);
    }
  }
}

void gemm(const GemmProblem& p) {
  if (p.k == 0 && !p.accumulate) {
    for (std::size_t i = 0; i < p.m; ++i) {
      std::memset(p.out + i * p.out_stride, 0, p.n * sizeof(float));
    }
  }
  // Turning B costs more than reading A again.
  const std::size_t block = p.b.layout == Layout::kRows ? kBlockRows : HWY_MAX(p.m, 1);
  for (std::size_t row = 0; row < p.m; row += block) run_rows(p, row, HWY_MIN(block, p.m - row));
}

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

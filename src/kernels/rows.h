// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops over rows of floats at any alignment. Sums are sixteen chains as in dot_rows().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mhe::kernels {

[[nodiscard]] float sum(const float* row, std::size_t size) noexcept;
[[nodiscard]] float sum_squares(const float* row, std::size_t size) noexcept;

/// row = keep * row - step * gradient: a step of gradient descent with decay.
void move_row(float* row, const float* gradient, std::size_t size, float keep, float step) noexcept;

/// row += other
void add_row(float* row, const float* other, std::size_t size) noexcept;

/// Consecutive rows and what one vector does to them.
struct PulledRows {
  float* rows = nullptr;  ///< [num_rows][dim]
  std::size_t num_rows = 0;
  std::size_t dim = 0;
  const float* vector = nullptr;   ///< [dim]
  const float* factors = nullptr;  ///< [row]
  const float* steps = nullptr;    ///< [row]
  float keep = 1;
  float* sum = nullptr;  ///< [dim]
};

/// For each row, ascending: sum += factor * row, then row = keep * row - step * vector. One pass
/// over the rows does what a product with few rows (kernels/gemm.h) and move_row() do in two, to
/// the same bits.
void pull_rows(const PulledRows& p) noexcept;

/// Consecutive rows and what several vectors do to them.
struct SharedRows {
  const float* rows = nullptr;  ///< [num_rows][dim]
  std::size_t num_rows = 0;
  std::size_t dim = 0;
  const float* vectors = nullptr;
  std::size_t vector_stride = 0;
  std::size_t num_vectors = 0;
  const float* factors = nullptr;  ///< [vector][factor_stride], of which a row has one
  std::size_t factor_stride = 0;
  float* sums = nullptr;  ///< [vector][sum_stride]
  std::size_t sum_stride = 0;
  float* gradients = nullptr;  ///< [row][gradient_stride]
  std::size_t gradient_stride = 0;
  std::size_t num_next = 0;  ///< rows behind these that come next: they are asked for
};

/// For each vector, rows ascending: sum += factor * row. For each row, vectors ascending: gradient
/// = the sum of factor * vector. One pass over the rows does what two products of a few vectors
/// (kernels/gemm.h) do in two, to the same bits. Vectors, sums and gradients have room for `dim`
/// rounded up to a multiple of 16; what is behind `dim` in sums and gradients means nothing. Their
/// strides should be no multiples of 1 KiB, or they share few places of a near cache.
void share_rows(const SharedRows& p) noexcept;

/// Rows of a table of floats at any alignment.
struct WeightedRows {
  const float* table = nullptr;         ///< row 0
  std::size_t width = 0;                ///< columns
  std::span<const std::uint32_t> rows;  ///< in the table; not checked
  std::span<const float> weights;       ///< as many
};

/// out[i] += sum over j of weights[j] * table[rows[j]][i]. Every element is one chain of fused
/// multiply-adds in the order of the rows: the same bits for every vector width.
void add_weighted_rows(const WeightedRows& problem, float* out) noexcept;

/// Asks for a row that is soon needed, so that it is near by then.
void prefetch_row(const float* row, std::size_t size) noexcept;

/// How many of the scores from `begin` on may be skipped: none of them is above `bound`. So a scan
/// for the best passes quickly over the rest.
[[nodiscard]] std::size_t count_not_above(const float* scores, std::size_t size,
                                          float bound) noexcept;

}  // namespace mhe::kernels

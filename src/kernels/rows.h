// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops over one row of floats at any alignment. Sums are sixteen chains as in dot_rows().
#pragma once

#include <cstddef>

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

/// Asks for a row that is soon needed, so that it is near by then.
void prefetch_row(const float* row, std::size_t size) noexcept;

/// How many of the scores from `begin` on may be skipped: none of them is above `bound`. So a scan
/// for the best passes quickly over the rest.
[[nodiscard]] std::size_t count_not_above(const float* scores, std::size_t size,
                                          float bound) noexcept;

}  // namespace mhe::kernels

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of rows of a table, each times a weight: the embedding of a sparse input, and a feature's
// gradient.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mhe::kernels {

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

/// The meaning of add_weighted_rows() for one element.
[[nodiscard]] inline float weighted_rows_reference(const WeightedRows& p, std::size_t i,
                                                   float sum) noexcept {
  for (std::size_t j = 0; j < p.rows.size(); ++j) {
    sum = std::fma(p.weights[j], p.table[p.rows[j] * p.width + i], sum);
  }
  return sum;
}

}  // namespace mhe::kernels

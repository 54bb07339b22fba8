// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of rows of a table, each times a weight: what a sparse input is worth, and what a feature's
// gradient is.
#pragma once

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

}  // namespace mhe::kernels

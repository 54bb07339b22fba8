// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows to learn from or for validation, and what is done to rows: taken out, copied, weighed,
// counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/ids.h>
#include <mhe/input.h>

#include "matrix/feature_weights.h"

namespace mhe::train {

/// Rows and their labels: sparse ones of length 1, or dense ones as they are.
struct Examples {
  SparseMatrix features;
  Ragged<LabelId> labels;
  DenseMatrix dense = {};  ///< in place of `features`, which then have no columns

  [[nodiscard]] std::size_t rows() const noexcept { return labels.rows(); }
  [[nodiscard]] bool are_dense() const noexcept { return dense.num_columns > 0; }
  /// Appends all rows of `other`, which are of the same kind.
  void append(const Examples& other);
};

/// Appends a row.
void push_row(const SparseRow& row, SparseMatrix& to);
/// Appends a row of `from` with its labels.
void push_row(const Examples& from, std::size_t row, Examples& to);

/// Weighs all rows, which have length 1 before and after.
void apply_weights(const FeatureWeightsView& weights, SparseMatrix& features);

/// Scales every row to length 1; rows of nothing stay.
void normalize_rows(SparseMatrix& matrix);

/// `count` random rows, ascending.
[[nodiscard]] std::vector<std::uint32_t> choose_rows(std::size_t rows, std::size_t count,
                                                     std::uint64_t seed);

/// Copies of these rows.
[[nodiscard]] Examples copy_rows(const Examples& examples, std::span<const std::uint32_t> rows);

/// Moves `count` random rows out of the examples.
[[nodiscard]] Examples hold_out(Examples& examples, std::size_t count, std::uint64_t seed);

/// Training rows of each label.
[[nodiscard]] std::vector<std::uint32_t> count_labels(const Ragged<LabelId>& labels,
                                                      std::size_t num_labels);

}  // namespace mhe::train

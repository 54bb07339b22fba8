// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/input.h>

namespace mhe {

/// Compressed sparse rows.
struct SparseMatrix {
  std::vector<std::uint64_t> offsets = {0};  ///< rows() + 1 of them
  std::vector<std::uint32_t> columns;        ///< ascending within a row
  std::vector<float> values;
  std::size_t num_columns = 0;  ///< more than any column that occurs

  [[nodiscard]] std::size_t rows() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::size_t nonzeros() const noexcept { return columns.size(); }
  [[nodiscard]] SparseRow operator[](std::size_t row) const noexcept {
    const std::size_t begin = offsets[row];
    const std::size_t size = offsets[row + 1] - begin;
    return {{columns.data() + begin, size}, {values.data() + begin, size}};
  }
  /// Makes a row of all entries appended since the last one.
  void end_row() { offsets.push_back(columns.size()); }
  /// Appends all rows of `other`; num_columns becomes the larger of the two.
  void append(const SparseMatrix& other);
  /// No rows; keeps the memory and num_columns.
  void clear() noexcept {
    offsets.resize(1);
    columns.clear();
    values.clear();
  }
  friend bool operator==(const SparseMatrix&, const SparseMatrix&) = default;
};

}  // namespace mhe

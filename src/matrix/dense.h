// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mhe {

/// Row-major floats.
struct DenseMatrix {
  std::vector<float> values;
  std::size_t num_columns = 0;

  [[nodiscard]] std::size_t rows() const noexcept {
    return num_columns == 0 ? 0 : values.size() / num_columns;
  }
  [[nodiscard]] std::span<const float> operator[](std::size_t row) const noexcept {
    return {values.data() + row * num_columns, num_columns};
  }
  /// Appends all rows of `other`, which has as many columns unless this has no rows.
  void append(const DenseMatrix& other) {
    if (rows() == 0) num_columns = other.num_columns;
    values.insert(values.end(), other.values.begin(), other.values.end());
  }
  /// No rows; keeps the memory and num_columns.
  void clear() noexcept { values.clear(); }
  friend bool operator==(const DenseMatrix&, const DenseMatrix&) = default;
};

}  // namespace mhe

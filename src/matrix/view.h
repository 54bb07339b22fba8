// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace mhe {

/// Row-major floats that somebody else owns; rows follow each other without a gap.
struct MatrixView {
  const float* data = nullptr;
  std::size_t num_rows = 0;
  std::size_t num_columns = 0;

  [[nodiscard]] std::size_t size() const noexcept { return num_rows * num_columns; }
  [[nodiscard]] std::span<const float> operator[](std::size_t row) const noexcept {
    return {data + row * num_columns, num_columns};
  }
};

/// The same, to write to.
struct MatrixSpan {
  float* data = nullptr;
  std::size_t num_rows = 0;
  std::size_t num_columns = 0;

  [[nodiscard]] std::size_t size() const noexcept { return num_rows * num_columns; }
  [[nodiscard]] std::span<float> operator[](std::size_t row) const noexcept {
    return {data + row * num_columns, num_columns};
  }
  // Whoever may write may read.
  operator MatrixView() const noexcept {  // NOLINT(google-explicit-constructor)
    return {data, num_rows, num_columns};
  }
};

}  // namespace mhe

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a row can be: as views, which own nothing, and as arrays, which do. The only place that says
// so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace mhe {

enum class InputKind : std::uint8_t {
  kSparse,  ///< sparse vectors
  kDense,   ///< dense vectors
  kText,    ///< documents of one text field or several
};

/// "sparse vectors", "dense vectors", "text".
[[nodiscard]] std::string_view kind_name(InputKind kind) noexcept;

/// One sparse vector: columns ascending, each at most once, and as many finite values.
struct SparseRow {
  std::span<const std::uint32_t> columns;
  std::span<const float> values;

  [[nodiscard]] std::size_t size() const noexcept { return columns.size(); }
};

/// One dense vector: finite numbers.
using DenseRow = std::span<const float>;

struct SparseRows {
  std::span<const SparseRow> rows;
};

struct DenseRows {
  std::span<const DenseRow> rows;
};

/// Documents: the fields of the first, then those of the second, ...
struct TextRows {
  std::span<const std::string_view> texts;
  std::size_t num_fields = 1;
};

/// Rows of one kind, the base case of every call: one row is the batch of one.
using InputBatch = std::variant<SparseRows, DenseRows, TextRows>;

/// Compressed sparse rows that somebody else keeps, as scipy has them: row i is [offsets[i],
/// offsets[i + 1]) of columns and values.
struct CsrRows {
  std::span<const std::uint64_t> offsets;  ///< one more than there are rows
  std::span<const std::uint32_t> columns;
  std::span<const float> values;
};

[[nodiscard]] InputKind kind_of(const InputBatch& batch) noexcept;
/// Number of rows.
[[nodiscard]] std::size_t size_of(const InputBatch& batch) noexcept;

/// Rows of different lengths, end to end in one array: labels of examples, characters of strings.
template <class T>
struct Ragged {
  std::vector<std::uint64_t> offsets = {
      0};  ///< rows() + 1 of them; row i is [offsets[i], offsets[i+1])
  std::vector<T> items;

  [[nodiscard]] std::size_t rows() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::span<const T> operator[](std::size_t row) const noexcept {
    return {items.data() + offsets[row], items.data() + offsets[row + 1]};
  }
  /// Appends a row.
  void push_row(std::span<const T> row) {
    items.insert(items.end(), row.begin(), row.end());
    end_row();
  }
  /// Makes a row of all items appended since the last one.
  void end_row() { offsets.push_back(items.size()); }
  /// Appends all rows of `other`.
  void append(const Ragged& other) {
    const std::uint64_t base = items.size();
    items.insert(items.end(), other.items.begin(), other.items.end());
    for (std::size_t i = 1; i < other.offsets.size(); ++i)
      offsets.push_back(base + other.offsets[i]);
  }
  /// No rows; keeps the memory.
  void clear() noexcept {
    offsets.resize(1);
    items.clear();
  }
  friend bool operator==(const Ragged&, const Ragged&) = default;
};

/// Strings end to end.
using Strings = Ragged<char>;

[[nodiscard]] inline std::string_view string_at(const Strings& strings, std::size_t row) noexcept {
  const std::span<const char> characters = strings[row];
  return {characters.data(), characters.size()};
}

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
  void append(const SparseMatrix& other) {
    const std::uint64_t base = columns.size();
    columns.insert(columns.end(), other.columns.begin(), other.columns.end());
    values.insert(values.end(), other.values.begin(), other.values.end());
    for (std::size_t i = 1; i < other.offsets.size(); ++i) {
      offsets.push_back(base + other.offsets[i]);
    }
    num_columns = std::max(num_columns, other.num_columns);
  }
  /// No rows; keeps the memory and num_columns.
  void clear() noexcept {
    offsets.resize(1);
    columns.clear();
    values.clear();
  }
  friend bool operator==(const SparseMatrix&, const SparseMatrix&) = default;
};

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

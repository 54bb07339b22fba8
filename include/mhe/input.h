// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a row can be, as views: nothing here owns what it shows. The only place that says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

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

[[nodiscard]] InputKind kind_of(const InputBatch& batch) noexcept;
/// Number of rows.
[[nodiscard]] std::size_t size_of(const InputBatch& batch) noexcept;

}  // namespace mhe

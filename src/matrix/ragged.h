// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mhe {

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

}  // namespace mhe

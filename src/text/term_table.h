// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mhe::text {

/// Finds the columns of terms: an open-addressing table over arrays that may lie in a mapped file.
/// A slot is 0 if it is empty, else the column + 1 in as many low bits as the number of columns
/// takes, and above them as many bits of the term's hash as there is room for: a term that is not
/// the right one is nearly always told by its slot alone.
///
/// Nothing in the arrays is trusted: if they are damaged, terms may not be found or be found in
/// the wrong column, but nothing outside the arrays is read.
class TermTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  TermTable() = default;
  /// `slots` is a power of two of them, or none; part p has columns [part_offsets[p],
  /// part_offsets[p + 1]); column i is spelled terms[begins[i] .. begins[i + 1]).
  TermTable(std::span<const std::uint32_t> slots, std::span<const std::uint64_t> part_offsets,
            std::span<const std::uint32_t> begins, std::span<const char> terms) noexcept
      : slots_(slots),
        part_offsets_(part_offsets),
        begins_(begins),
        terms_(terms),
        column_bits_(column_bits(num_columns())) {}

  [[nodiscard]] std::size_t num_columns() const noexcept {
    return begins_.empty() ? 0 : begins_.size() - 1;
  }
  [[nodiscard]] std::string_view spelling(std::size_t column) const noexcept {
    const std::size_t begin = std::min<std::size_t>(begins_[column], terms_.size());
    const std::size_t end = std::clamp<std::size_t>(begins_[column + 1], begin, terms_.size());
    return {terms_.data() + begin, end - begin};
  }

  void prefetch_slot(std::uint64_t hash) const noexcept {
    __builtin_prefetch(slots_.data() + (hash & (slots_.size() - 1)));
  }
  /// After prefetch_slot() and some other terms: the column that the hash alone tells, which is
  /// nearly always the right one, or kNone if the term is not there. Asks for where the spelling
  /// begins. There must be slots.
  [[nodiscard]] std::uint32_t guess(std::uint64_t hash) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t probe = 0; probe <= mask; ++probe) {
      const std::uint32_t slot = slots_[(hash + probe) & mask];
      if (slot == 0) return kNone;
      const std::size_t column = column_of(slot);
      if (slot >> column_bits_ != tag || column >= num_columns()) continue;
      __builtin_prefetch(begins_.data() + column);
      return static_cast<std::uint32_t>(column);
    }
    return kNone;
  }
  /// The last step: asks for the spelling that will be compared.
  void prefetch_spelling(std::uint32_t column) const noexcept {
    if (column < num_columns()) __builtin_prefetch(terms_.data() + begins_[column]);
  }

  /// The column of a term, or kNone. There must be slots.
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, std::string_view term,
                                   std::uint32_t part) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t probe = 0; probe <= mask; ++probe) {
      const std::uint32_t slot = slots_[(hash + probe) & mask];
      if (slot == 0) return kNone;
      if (slot >> column_bits_ != tag) continue;
      const std::size_t column = column_of(slot);
      if (column < num_columns() && column >= part_offsets_[part] &&
          column < part_offsets_[part + 1] && spelling(column) == term) {
        return static_cast<std::uint32_t>(column);
      }
    }
    return kNone;
  }

  /// Slots for the terms whose hashes are given, by column.
  [[nodiscard]] static std::vector<std::uint32_t> make_slots(
      std::span<const std::uint64_t> hashes) {
    std::vector<std::uint32_t> slots(std::bit_ceil(hashes.size() * 8 / 5 + 1), 0);
    TermTable table;
    table.column_bits_ = column_bits(hashes.size());
    for (std::size_t column = 0; column < hashes.size(); ++column) {
      std::size_t at = hashes[column] & (slots.size() - 1);
      while (slots[at] != 0) at = (at + 1) & (slots.size() - 1);
      const std::uint64_t tag = table.tag_of(hashes[column]);
      slots[at] = static_cast<std::uint32_t>(tag << table.column_bits_ | (column + 1));
    }
    return slots;
  }

 private:
  static std::uint32_t column_bits(std::size_t num_columns) noexcept {
    return std::clamp<std::uint32_t>(
        static_cast<std::uint32_t>(std::bit_width(std::uint64_t{num_columns})), 1, 31);
  }
  // The upper bits: the lower ones have chosen the slot.
  [[nodiscard]] std::uint32_t tag_of(std::uint64_t hash) const noexcept {
    return static_cast<std::uint32_t>(hash >> (32 + column_bits_));
  }
  [[nodiscard]] std::size_t column_of(std::uint32_t slot) const noexcept {
    // An empty slot gives the largest number there is, which is no column.
    return std::size_t{slot & ((std::uint32_t{1} << column_bits_) - 1)} - 1;
  }

  std::span<const std::uint32_t> slots_;
  std::span<const std::uint64_t> part_offsets_;
  std::span<const std::uint32_t> begins_;
  std::span<const char> terms_;
  std::uint32_t column_bits_ = 1;
};

}  // namespace mhe::text

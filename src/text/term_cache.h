// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/analyze.h"
#include "text/hash.h"
#include "text/huge_page_allocator.h"

namespace mhe::text {

/// The columns of terms that were looked up lately. Most words of a text are among the few thousand
/// frequent ones; here one is found in a single cache line, where the vocabulary's own table takes
/// three, one after the other. Terms longer than 16 bytes are not kept.
class TermCache {
 public:
  /// `num_slots` is a power of two.
  explicit TermCache(std::size_t num_slots) : slots_(num_slots) {}

  void prefetch(const Term& term) const noexcept { __builtin_prefetch(&slots_[place_of(term)]); }

  /// Whether the column of `term` is known; then it is in `column`.
  [[nodiscard]] bool find(const Term& term, std::uint32_t& column) const noexcept {
    const Slot& slot = slots_[place_of(term)];
    column = slot.column;
    return (slot.head == head_padded(term.bytes, term.size)) & (slot.size == term.size) &
           (slot.part == term.part);
  }
  void put(const Term& term, std::uint32_t column) noexcept {
    if (term.size > kMaxSize) return;
    slots_[place_of(term)] = {head_padded(term.bytes, term.size), term.size, term.part, column};
  }

 private:
  static constexpr std::uint32_t kMaxSize = 16;

  struct alignas(32) Slot {  // two to a cache line
    Head head;
    std::uint32_t size = 0;  // no term has 0 bytes
    std::uint32_t part = 0;
    std::uint32_t column = 0;
  };

  [[nodiscard]] std::size_t place_of(const Term& term) const noexcept {
    return term.hash & (slots_.size() - 1);
  }

  std::vector<Slot, HugePageAllocator<Slot>> slots_;
};

}  // namespace mhe::text

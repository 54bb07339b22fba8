// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/analyze.h"
#include "text/hash.h"
#include "text/huge_page_allocator.h"

namespace mhe::text {

/// What a term is looked up by.
struct TermKey {
  std::uint64_t hash = 0;
  Head head;
  std::string_view spelling;
  std::uint32_t part = 0;
};

[[nodiscard]] inline TermKey key_of(const Term& term) noexcept {
  return {term.hash, head_padded(term.bytes, term.size), term.spelling(), term.part};
}

/// The key of a bucket, where terms are hashed and have no spelling any more.
[[nodiscard]] inline TermKey key_of_bucket(std::uint32_t bucket, std::uint32_t part) noexcept {
  return {internal::fold_product(bucket + 1, internal::kHashLength) + part, {bucket, 0}, {}, part};
}

/// Finds numbers by term: an open-addressing table whose slots hold the first 16 bytes and the size
/// of a term, so that nearly all words are told apart in one cache line, without touching their
/// spelling. Longer terms are compared in full through `spelling_of(number)`, which the owner
/// provides, as well as a reference `hash_of(number)`.
class TermIndex {
 public:
  struct alignas(32) Slot {  // two to a cache line
    Head head;
    std::uint32_t number = kNone;
    std::uint32_t meta = kNone;  // of no term that is told by its slot alone
    std::uint32_t df = 0;        ///< for the owner: documents with the term
    std::uint32_t place = 0;     ///< for the owner: of its item in the last of them
  };

  TermIndex() { clear(); }

  [[nodiscard]] std::span<const Slot> slots() const noexcept { return slots_; }
  [[nodiscard]] static bool is_used(const Slot& slot) noexcept { return slot.number != kNone; }

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&slots_[hash & mask_]); }

  /// The slot of a term if it is where its hash says and tells the term by itself, else null: what
  /// find() would do first for nearly every word, in one branch that nearly always goes one way.
  [[nodiscard]] Slot* find_at_home(const TermKey& key) noexcept {
    Slot& slot = slots_[key.hash & mask_];
    const std::uint64_t difference = (slot.head.low ^ key.head.low) |
                                     (slot.head.high ^ key.head.high) | (slot.meta ^ meta_of(key));
    return ((difference == 0) & (key.spelling.size() <= kHeadBytes)) ? &slot : nullptr;
  }

  /// The slot of a term, or null.
  template <class SpellingOf>
  [[nodiscard]] Slot* find(const TermKey& key, const SpellingOf& spelling_of) {
    const std::uint32_t meta = meta_of(key);
    std::size_t at = key.hash & mask_;
    while (is_used(slots_[at])) {
      Slot& slot = slots_[at];
      if (slot.head == key.head && slot.meta == meta &&
          (key.spelling.size() <= kHeadBytes || spelling_of(slot.number) == key.spelling)) {
        return &slot;
      }
      at = (at + 1) & mask_;
    }
    return nullptr;
  }

  /// Adds a term that is not there yet. Slots move then.
  template <class HashOf>
  Slot& insert(const TermKey& key, std::uint32_t number, const HashOf& hash_of) {
    if ((size_ + 1) * 8 > slots_.size() * 5) rehash(2 * slots_.size(), hash_of);
    ++size_;
    return place(key.hash, {key.head, number, meta_of(key), 0, 0});
  }

  void forget_places() noexcept {
    for (Slot& slot : slots_) slot.place = 0;
  }

  /// Makes room for `count` terms in an empty index.
  void reserve(std::size_t count) {
    std::size_t slots = kFirstSlots;
    while (count * 8 > slots * 5) slots *= 2;
    reset(slots);
  }

  /// No terms; small again, but keeps the memory.
  void clear() { reset(kFirstSlots); }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::size_t kHeadBytes = 16;
  static constexpr std::size_t kRehashAhead = 16;  // slots: the latency of memory over their time
  static constexpr std::size_t kFirstSlots = 64;   // a power of two: a mask replaces the modulus

  // Part, size and 8 bits of hash. Sizes from 65535 up look alike here and are told apart by
  // comparing in full, as all above 16 are.
  static std::uint32_t meta_of(const TermKey& key) noexcept {
    const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(key.spelling.size(), 65535));
    const auto tag = static_cast<std::uint32_t>(key.hash >> 56);
    return (key.part << 24) | (tag << 16) | size;
  }

  void reset(std::size_t slots) {
    slots_.assign(slots, Slot{});
    mask_ = slots - 1;
    size_ = 0;
  }

  Slot& place(std::uint64_t hash, const Slot& slot) noexcept {
    std::size_t at = hash & mask_;
    while (is_used(slots_[at])) at = (at + 1) & mask_;
    return slots_[at] = slot;
  }

  template <class HashOf>
  void rehash(std::size_t slots, const HashOf& hash_of) {
    std::vector<Slot, HugePageAllocator<Slot>> old(slots, Slot{});
    old.swap(slots_);
    mask_ = slots - 1;
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (i + kRehashAhead < old.size() && is_used(old[i + kRehashAhead])) {
        __builtin_prefetch(&hash_of(old[i + kRehashAhead].number));
      }
      if (is_used(old[i])) place(hash_of(old[i].number), old[i]);
    }
  }

  std::vector<Slot, HugePageAllocator<Slot>> slots_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace mhe::text

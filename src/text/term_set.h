// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/term_index.h"

namespace mhe::text {

/// Distinct terms, numbered from 0 as they come, with their spellings end to end in one piece of
/// memory: about 120 bytes a term and its spelling.
class TermSet {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  void prefetch(std::uint64_t hash) const noexcept { index_.prefetch(hash); }

  /// Asks for what key(number) will read.
  void prefetch_key(std::uint32_t number) const noexcept { __builtin_prefetch(&entries_[number]); }

  [[nodiscard]] TermIndex::Slot* find_at_home(const TermKey& key) noexcept {
    return index_.find_at_home(key);
  }
  /// The slot of a term, new if need be; good until the next term is added.
  TermIndex::Slot& find_or_add(const TermKey& key) {
    const auto spelling_of = [this](std::uint32_t number) { return spelling(number); };
    TermIndex::Slot* found = index_.find(key, spelling_of);
    return found != nullptr ? *found : add(key);
  }
  /// Sets the place in every slot to 0.
  void forget_places() noexcept { index_.forget_places(); }
  /// By number: documents with the term, as its slot says.
  [[nodiscard]] std::vector<std::uint32_t> document_frequencies() const;

  /// Makes room for `count` terms in an empty set.
  void reserve(std::size_t count) {
    index_.reserve(count);
    entries_.reserve(count);
  }

  [[nodiscard]] std::string_view spelling(std::uint32_t number) const noexcept {
    const Entry& entry = entries_[number];
    return {bytes_.data() + entry.begin, entry.size};
  }
  [[nodiscard]] TermKey key(std::uint32_t number) const noexcept {
    const Entry& entry = entries_[number];
    return {entry.hash, entry.head, spelling(number), entry.part};
  }

  void clear() {
    index_.clear();
    entries_.clear();
    bytes_.clear();
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    Head head;
    std::uint64_t begin = 0;
    std::uint32_t size = 0;
    std::uint32_t part = 0;
  };

  TermIndex::Slot& add(const TermKey& key);

  TermIndex index_;
  std::vector<Entry> entries_;
  std::vector<char> bytes_;
};

}  // namespace mhe::text

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "text/analyze.h"
#include "text/options.h"
#include "text/term_set.h"

namespace mhe::text {

/// Terms of documents, by their numbers in the counter that met them, and how often each occurs.
struct CountedTerms {
  std::span<const std::uint32_t> numbers;
  std::span<const std::uint32_t> counts;
};

/// Counts the terms of the documents that one thread takes, between two merges.
class TermCounter {
 public:
  /// `parts` must outlive the counter.
  TermCounter(const TextOptions& options, std::span<const Part> parts);

  /// Forgets everything.
  void clear();
  /// Forgets the items of the documents so far, but not their terms and frequencies.
  void clear_items() { num_items_ = 0; }
  /// Counts a document.
  void add(std::span<const std::string_view> fields);

  /// The terms of all documents since clear_items(), one document after the other, each term once.
  [[nodiscard]] CountedTerms items() const noexcept {
    return {{item_numbers_.data(), num_items_}, {item_counts_.data(), num_items_}};
  }

  [[nodiscard]] std::size_t num_items() const noexcept { return num_items_; }
  [[nodiscard]] std::size_t num_terms() const noexcept { return terms_.size(); }
  [[nodiscard]] TermKey key(std::uint32_t number) const noexcept { return terms_.key(number); }
  void prefetch_key(std::uint32_t number) const noexcept { terms_.prefetch_key(number); }

  /// Sorts the numbers by shard, for the calls below. `shard_of` maps a TermKey to its shard.
  template <class ShardOf>
  void group(std::size_t num_shards, const ShardOf& shard_of) {
    df_ = terms_.document_frequencies();
    shards_.resize(num_terms());
    shard_ends_.assign(num_shards + 1, 0);
    for (std::uint32_t i = 0; i < num_terms(); ++i) {
      shards_[i] = static_cast<std::uint32_t>(shard_of(terms_.key(i)));
      ++shard_ends_[shards_[i] + 1];
    }
    for (std::size_t i = 0; i < num_shards; ++i) shard_ends_[i + 1] += shard_ends_[i];
    grouped_.resize(num_terms());
    for (std::uint32_t i = 0; i < num_terms(); ++i) grouped_[shard_ends_[shards_[i]]++] = i;
    ids_.assign(num_terms(), 0);
  }
  /// The numbers of the terms of a shard.
  [[nodiscard]] std::span<const std::uint32_t> in_shard(std::size_t shard) const noexcept {
    const std::size_t begin = shard == 0 ? 0 : shard_ends_[shard - 1];
    return std::span(grouped_).subspan(begin, shard_ends_[shard] - begin);
  }

  [[nodiscard]] std::uint32_t df(std::uint32_t number) const noexcept { return df_[number]; }

  /// What the merged counts call a term.
  void set_id(std::uint32_t number, std::uint32_t id) noexcept { ids_[number] = id; }
  /// These, by number. Until the next group() there are none.
  [[nodiscard]] std::vector<std::uint32_t> take_ids() noexcept { return std::move(ids_); }

 private:
  template <class KeyOf>
  TermIndex::Slot& find_or_add(const Term& term, const KeyOf& key_of_term);
  template <class KeyOf>
  void count(std::span<const Term> terms, const KeyOf& key_of_term);

  Analyzer analyzer_;
  std::uint32_t hash_bits_;
  TermSet terms_;
  std::vector<std::uint32_t> item_numbers_;  // longer than what is used
  std::vector<std::uint32_t> item_counts_;   // as well
  std::size_t num_items_ = 0;
  std::uint32_t last_place_ = 0;           // of the items since clear(), numbered from 1
  std::vector<std::uint32_t> df_;          // by number
  std::vector<std::uint32_t> shards_;      // by number
  std::vector<std::uint32_t> grouped_;     // numbers, by shard
  std::vector<std::uint32_t> shard_ends_;  // where each shard ends in grouped_
  std::vector<std::uint32_t> ids_;         // by number
};

}  // namespace mhe::text

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <mhe/context.h>

#include "text/options.h"
#include "text/term_counter.h"
#include "text/term_set.h"
#include "text/vectorizer.h"

namespace mhe::text {

/// The document frequencies of all terms met so far, in shards by hash, so that the counts of all
/// threads are merged on all threads without a lock. Ids depend on the threads; what select() makes
/// of them does not.
class MergedCounts {
 public:
  static constexpr std::uint32_t kDropped = 0xFFFFFFFF;

  MergedCounts(const TextOptions& options, std::size_t num_parts);

  /// Adds what the counters counted and tells them the ids of their terms.
  void merge(const Context& context, std::span<const std::unique_ptr<TermCounter>> counters);

  [[nodiscard]] std::size_t num_terms() const noexcept;
  /// Forgets the terms in fewest documents until at most three quarters of `max_terms` are left.
  void prune(const Context& context, std::uint64_t max_terms);

  /// What a vocabulary of these counts is, and where the ids have gone.
  struct Selection {
    VectorizerArrays arrays;
    std::vector<std::uint32_t> columns;  ///< by id; kDropped if it has none
  };
  [[nodiscard]] Selection select(const Context& context, std::uint64_t num_documents) const;

 private:
  struct Entry {
    std::uint32_t df = 0;
    std::uint32_t serial = 0;  // within the shard; never used again
  };
  struct Shard {
    TermSet terms;
    std::vector<Entry> entries;  // by number in `terms`
    std::uint32_t next_serial = 0;
  };
  struct Candidate;

  [[nodiscard]] std::size_t shard_of(const TermKey& key) const noexcept;
  void merge_shard(std::size_t shard, TermCounter& counter);
  void merge_buckets(std::size_t shard, TermCounter& counter);
  [[nodiscard]] std::uint32_t id_of(std::size_t shard, std::uint32_t serial) const;
  static void prune_shard(Shard& shard, std::uint32_t min_df);

  [[nodiscard]] std::vector<Candidate> candidates(const Context& context,
                                                  std::uint64_t num_documents) const;
  [[nodiscard]] Selection select_terms(const Context& context, std::uint64_t num_documents) const;
  [[nodiscard]] Selection select_buckets(std::uint64_t num_documents) const;
  [[nodiscard]] bool keeps(std::uint32_t df, std::uint64_t num_documents) const noexcept;

  const TextOptions& options_;
  std::size_t num_parts_;
  std::vector<Shard> shards_;
  std::vector<std::uint32_t> bucket_df_;  // by part and bucket, where terms are hashed
};

}  // namespace mhe::text

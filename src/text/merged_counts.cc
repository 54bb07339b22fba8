// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/merged_counts.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/checked.h"
#include "base/parallel.h"
#include "text/parallel_sort.h"

namespace mhe::text {
namespace {

// Shards of a part. Enough for more cores than we know to share the work of a merge fairly.
constexpr std::uint32_t kShardBits = 5;
constexpr std::size_t kShardsPerPart = std::size_t{1} << kShardBits;

constexpr std::size_t kPrefetchAhead = 8;

}  // namespace

// A term that may become a feature.
struct MergedCounts::Candidate {
  std::uint64_t head = 0;  // its first 8 bytes as a number that sorts like them
  std::string_view spelling;
  std::uint32_t part = 0;
  std::uint32_t df = 0;
  std::uint32_t id = 0;

  // The part and the first two bytes.
  static constexpr std::size_t kBucketsPerPart = 65536;
  [[nodiscard]] std::size_t bucket() const noexcept {
    return part * kBucketsPerPart + static_cast<std::size_t>(head >> 48);
  }
  // Order of the columns.
  [[nodiscard]] bool is_before(const Candidate& other) const noexcept {
    if (part != other.part) return part < other.part;
    if (head != other.head) return head < other.head;
    return spelling < other.spelling;
  }
};

MergedCounts::MergedCounts(const TextOptions& options, std::size_t num_parts)
    : options_(options), num_parts_(num_parts), shards_(num_parts * kShardsPerPart) {
  if (options.hash_bits > 0) bucket_df_.resize(num_parts << options.hash_bits);
}

void MergedCounts::merge(const Context& context,
                         std::span<const std::unique_ptr<TermCounter>> counters) {
  parallel_for(context, counters.size(), [&](std::size_t i) {
    counters[i]->group(shards_.size(), [this](const TermKey& key) { return shard_of(key); });
  });
  parallel_for(context, shards_.size(), [&](std::size_t shard) {
    for (const auto& counter : counters) {
      if (options_.hash_bits > 0) {
        merge_buckets(shard, *counter);
      } else {
        merge_shard(shard, *counter);
      }
    }
  });
}

std::size_t MergedCounts::shard_of(const TermKey& key) const noexcept {
  const std::uint64_t within = options_.hash_bits > 0
                                   ? key.head.low >> (options_.hash_bits - kShardBits)
                                   : key.hash >> (64 - kShardBits);
  return key.part * kShardsPerPart + static_cast<std::size_t>(within);
}

void MergedCounts::merge_shard(std::size_t shard, TermCounter& counter) {
  Shard& target = shards_[shard];
  const std::span<const std::uint32_t> numbers = counter.in_shard(shard);
  if (target.terms.size() == 0) target.terms.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i + 2 * kPrefetchAhead < numbers.size()) {
      counter.prefetch_key(numbers[i + 2 * kPrefetchAhead]);
    }
    if (i + kPrefetchAhead < numbers.size()) {
      target.terms.prefetch(counter.key(numbers[i + kPrefetchAhead]).hash);
    }
    const std::uint32_t number = numbers[i];
    const std::uint32_t at = target.terms.find_or_add(counter.key(number)).number;
    if (at == target.entries.size()) target.entries.push_back({0, target.next_serial++});
    target.entries[at].df += counter.df(number);
    counter.set_id(number, id_of(shard, target.entries[at].serial));
  }
}

void MergedCounts::merge_buckets(std::size_t shard, TermCounter& counter) {
  for (const std::uint32_t number : counter.in_shard(shard)) {
    const TermKey key = counter.key(number);
    const std::uint64_t column =
        (static_cast<std::uint64_t>(key.part) << options_.hash_bits) + key.head.low;
    bucket_df_[column] += counter.df(number);
    counter.set_id(number, static_cast<std::uint32_t>(column));
  }
}

std::uint32_t MergedCounts::id_of(std::size_t shard, std::uint32_t serial) const {
  return checked_cast<std::uint32_t>(std::uint64_t{serial} * shards_.size() + shard,
                                     "number of terms; set max_vocabulary or hash_bits");
}

std::size_t MergedCounts::num_terms() const noexcept {
  std::size_t count = 0;
  for (const Shard& shard : shards_) count += shard.entries.size();
  return count;
}

void MergedCounts::prune(const Context& context, std::uint64_t max_terms) {
  std::vector<std::uint64_t> terms_with_df;
  for (const Shard& shard : shards_) {
    for (const Entry& entry : shard.entries) {
      if (entry.df >= terms_with_df.size()) terms_with_df.resize(entry.df + 1);
      ++terms_with_df[entry.df];
    }
  }
  std::uint64_t left = num_terms();
  std::uint32_t min_df = 0;
  while (left > max_terms / 4 * 3) left -= terms_with_df[min_df++];
  parallel_for(context, shards_.size(), [&](std::size_t i) { prune_shard(shards_[i], min_df); });
}

void MergedCounts::prune_shard(Shard& shard, std::uint32_t min_df) {
  Shard kept;
  kept.next_serial = shard.next_serial;
  for (std::uint32_t i = 0; i < shard.entries.size(); ++i) {
    if (shard.entries[i].df < min_df) continue;
    kept.terms.find_or_add(shard.terms.key(i));
    kept.entries.push_back(shard.entries[i]);
  }
  shard = std::move(kept);
}

bool MergedCounts::keeps(std::uint32_t df, std::uint64_t num_documents) const noexcept {
  return df >= std::max<std::uint64_t>(1, options_.min_df) &&
         static_cast<double>(df) <= options_.max_df * static_cast<double>(num_documents);
}

MergedCounts::Selection MergedCounts::select(const Context& context,
                                             std::uint64_t num_documents) const {
  return options_.hash_bits > 0 ? select_buckets(num_documents)
                                : select_terms(context, num_documents);
}

std::vector<MergedCounts::Candidate> MergedCounts::candidates(const Context& context,
                                                              std::uint64_t num_documents) const {
  std::vector<std::vector<Candidate>> by_shard(shards_.size());
  parallel_for(context, shards_.size(), [&](std::size_t i) {
    const Shard& shard = shards_[i];
    by_shard[i].reserve(static_cast<std::size_t>(
        std::count_if(shard.entries.begin(), shard.entries.end(),
                      [&](const Entry& entry) { return keeps(entry.df, num_documents); })));
    for (std::uint32_t n = 0; n < shard.entries.size(); ++n) {
      const Entry& entry = shard.entries[n];
      if (!keeps(entry.df, num_documents)) continue;
      const TermKey key = shard.terms.key(n);
      by_shard[i].push_back({__builtin_bswap64(key.head.low), key.spelling, key.part, entry.df,
                             id_of(i, entry.serial)});
    }
  });
  std::size_t count = 0;
  for (const auto& some : by_shard) count += some.size();
  std::vector<Candidate> all;
  all.reserve(count);
  for (const auto& some : by_shard) all.insert(all.end(), some.begin(), some.end());
  return all;
}

MergedCounts::Selection MergedCounts::select_terms(const Context& context,
                                                   std::uint64_t num_documents) const {
  std::vector<Candidate> terms = candidates(context, num_documents);
  if (options_.max_features > 0 && terms.size() > options_.max_features) {
    const auto is_preferred = [](const Candidate& a, const Candidate& b) {
      if (a.df != b.df) return a.df > b.df;
      return std::tie(a.spelling, a.part) < std::tie(b.spelling, b.part);
    };
    const auto cut = terms.begin() + static_cast<std::ptrdiff_t>(options_.max_features);
    std::nth_element(terms.begin(), cut, terms.end(), is_preferred);
    terms.erase(cut, terms.end());
  }
  parallel_sort(
      context, terms, num_parts_ * Candidate::kBucketsPerPart,
      [](const Candidate& term) { return term.bucket(); },
      [](const Candidate& a, const Candidate& b) { return a.is_before(b); });

  const Weighting weighting(options_);
  Selection selection;
  std::uint32_t serials = 0;
  for (const Shard& shard : shards_) serials = std::max(serials, shard.next_serial);
  selection.columns.assign(serials * shards_.size(), kDropped);
  VectorizerArrays& arrays = selection.arrays;
  arrays.num_documents = num_documents;
  arrays.part_offsets.assign(num_parts_ + 1, 0);
  for (const Candidate& term : terms) {
    selection.columns[term.id] = static_cast<std::uint32_t>(arrays.df.size());
    arrays.terms.push_row(std::span(term.spelling.data(), term.spelling.size()));
    arrays.df.push_back(term.df);
    arrays.idf.push_back(weighting.idf(term.df, num_documents));
    ++arrays.part_offsets[term.part + 1];
  }
  for (std::size_t i = 0; i < num_parts_; ++i) arrays.part_offsets[i + 1] += arrays.part_offsets[i];
  return selection;
}

MergedCounts::Selection MergedCounts::select_buckets(std::uint64_t num_documents) const {
  const Weighting weighting(options_);
  Selection selection;
  VectorizerArrays& arrays = selection.arrays;
  arrays.num_documents = num_documents;
  for (std::size_t i = 1; i <= num_parts_; ++i) {
    arrays.part_offsets.push_back(static_cast<std::uint64_t>(i) << options_.hash_bits);
  }
  arrays.df = bucket_df_;
  arrays.idf.resize(bucket_df_.size());
  selection.columns.assign(bucket_df_.size(), kDropped);
  for (std::size_t i = 0; i < bucket_df_.size(); ++i) {
    if (!keeps(bucket_df_[i], num_documents)) continue;
    arrays.idf[i] = weighting.idf(bucket_df_[i], num_documents);
    selection.columns[i] = static_cast<std::uint32_t>(i);
  }
  return selection;
}

}  // namespace mhe::text

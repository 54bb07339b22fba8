// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/term_counter.h"

#include "text/choose.h"
#include "text/hash.h"
#include "text/make_room.h"

namespace mhe::text {
namespace {

constexpr std::size_t kPrefetchAhead = 8;

}  // namespace

TermCounter::TermCounter(const VectorizerOptions& options, std::span<const Part> parts)
    : analyzer_(parts, options.min_token_length), hash_bits_(options.hash_bits) {}

void TermCounter::clear() {
  terms_.clear();
  seen_.clear();
  num_items_ = 0;
  first_serial_ = 0;
}

void TermCounter::clear_items() {
  first_serial_ += num_items_;
  num_items_ = 0;
}

void TermCounter::add(std::span<const std::string_view> fields) {
  const std::span<const Term> terms = analyzer_.analyze(fields);
  const std::uint64_t first_item = first_serial_ + num_items_;
  make_room(items_, num_items_ + terms.size() + 1);
  if (hash_bits_ > 0) {
    for (const Term& term : terms) {
      count(key_of_bucket(bucket_of(term.hash, hash_bits_), term.part), first_item);
    }
    return;
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i + kPrefetchAhead < terms.size()) terms_.prefetch(terms[i + kPrefetchAhead].hash);
    count(key_of(terms[i]), first_item);
  }
}

// Whether a document has had the term before is hard to predict, so nothing here branches on it.
inline void TermCounter::count(const TermKey& key, std::uint64_t first_item) {
  const std::uint32_t number = terms_.find_or_add(key);
  if (number == seen_.size()) seen_.emplace_back();
  Seen& seen = seen_[number];
  const bool is_new = seen.last_item <= first_item;
  const std::size_t place = choose(is_new, num_items_, seen.last_item - 1 - first_serial_);
  CountedTerm& item = items_[place];
  item.count = static_cast<std::uint32_t>(choose(is_new, 0, item.count)) + 1;
  item.number = number;
  seen.last_item = first_serial_ + place + 1;
  seen.df += static_cast<std::uint32_t>(is_new);
  num_items_ += static_cast<std::size_t>(is_new);
}

}  // namespace mhe::text

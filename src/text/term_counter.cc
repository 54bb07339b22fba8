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
  make_room(numbers_, terms.size());
  if (hash_bits_ > 0) {
    find_buckets(terms);
  } else {
    find_terms(terms);
  }
  seen_.resize(terms_.size());
  count({numbers_.data(), terms.size()});
}

// Numbers first and counts later, so that what counting needs is on its way from memory meanwhile.
void TermCounter::find_terms(std::span<const Term> terms) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i + kPrefetchAhead < terms.size()) terms_.prefetch(terms[i + kPrefetchAhead].hash);
    numbers_[i] = terms_.find_or_add(key_of(terms[i]));
    if (numbers_[i] < seen_.size()) __builtin_prefetch(&seen_[numbers_[i]]);
  }
}

void TermCounter::find_buckets(std::span<const Term> terms) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term& term = terms[i];
    numbers_[i] = terms_.find_or_add(key_of_bucket(bucket_of(term.hash, hash_bits_), term.part));
    if (numbers_[i] < seen_.size()) __builtin_prefetch(&seen_[numbers_[i]]);
  }
}

// Whether a document has had the term before is hard to predict, so nothing here branches on it.
void TermCounter::count(std::span<const std::uint32_t> numbers) {
  make_room(items_, num_items_ + numbers.size() + 1);
  CountedTerm* const items = items_.data() + num_items_;
  const std::uint64_t first_serial = first_serial_ + num_items_ + 1;
  std::size_t size = 0;
  for (const std::uint32_t number : numbers) {
    Seen& seen = seen_[number];
    const bool is_new = seen.last_item < first_serial;
    const std::size_t place = choose(is_new, size, seen.last_item - first_serial);
    CountedTerm& item = items[place];
    item.count = static_cast<std::uint32_t>(choose(is_new, 0, item.count)) + 1;
    item.number = number;
    seen.last_item = first_serial + place;
    seen.df += static_cast<std::uint32_t>(is_new);
    size += static_cast<std::size_t>(is_new);
  }
  num_items_ += size;
}

}  // namespace mhe::text

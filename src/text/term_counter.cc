// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/term_counter.h"

#include <algorithm>
#include <limits>

#include "text/choose.h"
#include "text/hash.h"
#include "text/make_room.h"

namespace mhe::text {
namespace {

constexpr std::size_t kTermsAhead = 16;

}  // namespace

TermCounter::TermCounter(const TextOptions& options, std::span<const Part> parts)
    : analyzer_(parts, options.min_token_length), hash_bits_(options.hash_bits) {}

void TermCounter::clear() {
  terms_.clear();
  num_items_ = 0;
  last_place_ = 0;
}

void TermCounter::add(std::span<const std::string_view> fields) {
  const std::span<const Term> terms = analyzer_.analyze(fields);
  make_room(item_numbers_, num_items_ + terms.size());
  make_room(item_counts_, num_items_ + terms.size());
  if (terms.size() > std::numeric_limits<std::uint32_t>::max() - last_place_) {
    terms_.forget_places();
    last_place_ = 0;
  }
  if (hash_bits_ > 0) {
    count(terms, [this](const Term& term) {
      return key_of_bucket(bucket_of(term.hash, hash_bits_), term.part);
    });
  } else {
    count(terms, [](const Term& term) { return key_of(term); });
  }
}

// Apart from the loop below, so that a term that is where it belongs needs no key in memory.
template <class KeyOf>
[[gnu::noinline]] TermIndex::Slot& TermCounter::find_or_add(const Term& term,
                                                            const KeyOf& key_of_term) {
  return terms_.find_or_add(key_of_term(term));
}

// Whether a document has had the term before is hard to predict, so nothing here branches on it,
// and whether it has is told by the slot alone: the next term need not wait for the items of this
// one.
template <class KeyOf>
void TermCounter::count(std::span<const Term> terms, const KeyOf& key_of_term) {
  for (const Term& term : terms.first(std::min(kTermsAhead, terms.size()))) {
    terms_.prefetch(key_of_term(term).hash);
  }
  const std::uint32_t before = last_place_;  // places up to here are of earlier documents
  std::uint32_t size = 0;
  std::uint32_t* const numbers = item_numbers_.data() + num_items_;
  std::uint32_t* const counts = item_counts_.data() + num_items_;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i + kTermsAhead < terms.size()) {
      terms_.prefetch(key_of_term(terms[i + kTermsAhead]).hash);
    }
    TermIndex::Slot* const home = terms_.find_at_home(key_of_term(terms[i]));
    TermIndex::Slot& slot = home != nullptr ? *home : find_or_add(terms[i], key_of_term);
    const bool is_new = slot.place <= before;
    size += static_cast<std::uint32_t>(is_new);
    slot.df += static_cast<std::uint32_t>(is_new);
    slot.place = static_cast<std::uint32_t>(choose(is_new, before + size, slot.place));
    const std::size_t item = slot.place - before - 1;
    numbers[item] = slot.number;
    counts[item] = static_cast<std::uint32_t>(choose(is_new, 0, counts[item])) + 1;
  }
  last_place_ += size;
  num_items_ += size;
}

}  // namespace mhe::text

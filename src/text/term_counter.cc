// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/term_counter.h"

#include <algorithm>

#include "text/choose.h"
#include "text/hash.h"
#include "text/make_room.h"

namespace mhe::text {
namespace {

constexpr std::size_t kTermsAhead = 16;

}  // namespace

TermCounter::TermCounter(const VectorizerOptions& options, std::span<const Part> parts)
    : analyzer_(parts, options.min_token_length), hash_bits_(options.hash_bits) {}

void TermCounter::clear() {
  terms_.clear();
  num_items_ = 0;
}

void TermCounter::add(std::span<const std::string_view> fields) {
  const std::span<const Term> terms = analyzer_.analyze(fields);
  make_room(items_, num_items_ + terms.size() + 1);
  CountedTerm* const items = items_.data() + num_items_;
  num_items_ += hash_bits_ > 0
                    ? count(terms, items,
                            [this](const Term& term) {
                              return key_of_bucket(bucket_of(term.hash, hash_bits_), term.part);
                            })
                    : count(terms, items, [](const Term& term) { return key_of(term); });
}

// Whether a document has had the term before is hard to predict, so nothing here branches on it. A
// place that an earlier document left behind holds another term by now, or none.
template <class KeyOf>
std::size_t TermCounter::count(std::span<const Term> terms, CountedTerm* items,
                               const KeyOf& key_of_term) {
  for (const Term& term : terms.first(std::min(kTermsAhead, terms.size()))) {
    terms_.prefetch(key_of_term(term).hash);
  }
  std::size_t size = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i + kTermsAhead < terms.size()) {
      terms_.prefetch(key_of_term(terms[i + kTermsAhead]).hash);
    }
    TermIndex::Slot& slot = terms_.find_or_add(key_of_term(terms[i]));
    const std::size_t place = choose(slot.place < size, slot.place, size);
    const CountedTerm before = items[place];
    const bool repeats = (place < size) & (before.number == slot.number);
    const std::size_t at = choose(repeats, place, size);
    items[at] = {slot.number, static_cast<std::uint32_t>(choose(repeats, before.count, 0)) + 1};
    slot.place = static_cast<std::uint32_t>(at);
    slot.df += static_cast<std::uint32_t>(!repeats);
    size += static_cast<std::size_t>(!repeats);
  }
  return size;
}

}  // namespace mhe::text

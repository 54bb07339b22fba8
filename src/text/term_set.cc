// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/term_set.h"

#include "base/check.h"

namespace mhe::text {
namespace {

constexpr std::size_t kMaxTerms = 0xFFFFFFFF;  // a number less marks an empty slot

}  // namespace

TermIndex::Slot& TermSet::add(const TermKey& key) {
  if (entries_.size() == kMaxTerms) {
    fail(ErrorCode::kResourceLimit, "more than {} terms", kMaxTerms);
  }
  const auto number = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({key.hash, key.head, bytes_.size(),
                      static_cast<std::uint32_t>(key.spelling.size()), key.part});
  bytes_.insert(bytes_.end(), key.spelling.begin(), key.spelling.end());
  return index_.insert(
      key, number, [this](std::uint32_t i) -> const std::uint64_t& { return entries_[i].hash; });
}

std::vector<std::uint32_t> TermSet::document_frequencies() const {
  std::vector<std::uint32_t> frequencies(size());
  for (const TermIndex::Slot& slot : index_.slots()) {
    if (TermIndex::is_used(slot)) frequencies[slot.number] = slot.df;
  }
  return frequencies;
}

}  // namespace mhe::text

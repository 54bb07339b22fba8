// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/term_set.h"

#include "base/check.h"

namespace mhe::text {

std::uint32_t TermSet::add(const TermKey& key) {
  const auto number = static_cast<std::uint32_t>(entries_.size());
  if (number == TermIndex::kNone) fail(ErrorCode::kResourceLimit, "more than 2^32 - 1 terms");
  index_.insert(key, number);
  entries_.push_back({key.hash, key.head, bytes_.size(),
                      static_cast<std::uint32_t>(key.spelling.size()), key.part});
  bytes_.insert(bytes_.end(), key.spelling.begin(), key.spelling.end());
  return number;
}

}  // namespace mhe::text

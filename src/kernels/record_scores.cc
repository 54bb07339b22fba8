// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/record_scores.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/record_scores.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/record_scores-inl.h"

#if HWY_ONCE
namespace mhe::kernels {

HWY_EXPORT(add_records);

// Into the second cache: a query's postings are more than the first holds.
void prefetch_places(const RecordTable& table, std::span<const std::uint32_t> columns) noexcept {
  for (const std::uint32_t feature : columns) {
    if (feature >= table.num_features()) break;
    __builtin_prefetch(table.posting_begin.data() + feature, 0, 2);
  }
}

void prefetch_postings(const RecordTable& table, std::span<const std::uint32_t> columns) noexcept {
  constexpr std::uint64_t kMostBytes = 256;  // a list with its records, or the words of a bitmap
  for (const std::uint32_t feature : columns) {
    if (feature >= table.num_features()) break;
    const std::uint64_t begin = table.posting_begin[feature];
    const std::uint64_t end =
        std::min(begin + kMostBytes, std::uint64_t{table.posting_begin[feature + 1]});
    for (std::uint64_t at = begin & ~std::uint64_t{63}; at < end; at += 64) {
      __builtin_prefetch(table.stream.data() + at, 0, 2);
    }
  }
}

void add_records(const RecordTable& table, const RecordSearch& search, float* scores) noexcept {
  if (search.blocks.empty() || search.columns.empty()) return;
  HWY_DYNAMIC_DISPATCH(add_records)(table, search, scores);
}

}  // namespace mhe::kernels
#endif

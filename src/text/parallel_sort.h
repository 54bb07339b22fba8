// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <mhe/context.h>

#include "base/parallel.h"

namespace mhe::text {

/// Sorts on all threads: into buckets first, then each of them apart. `bucket_of` gives a number
/// below `num_buckets` and must agree with `less`: what comes before has no larger bucket. If no
/// two items are equivalent under `less`, the result does not depend on the number of threads.
template <class T, class BucketOf, class Less>
void parallel_sort(const Context& context, std::vector<T>& items, std::size_t num_buckets,
                   const BucketOf& bucket_of, const Less& less) {
  std::vector<std::size_t> ends(num_buckets + 1, 0);  // at first: where each bucket begins
  for (const T& item : items) ++ends[bucket_of(item) + 1];
  for (std::size_t b = 0; b < num_buckets; ++b) ends[b + 1] += ends[b];
  std::vector<T> sorted(items.size());
  for (const T& item : items) sorted[ends[bucket_of(item)]++] = item;
  // Most buckets are small, many are empty.
  constexpr std::size_t kBucketsPerBlock = 64;
  parallel_blocks(context, num_buckets, kBucketsPerBlock, [&](const Block& block) {
    for (std::size_t b = block.begin; b < block.end; ++b) {
      const auto begin = static_cast<std::ptrdiff_t>(b == 0 ? 0 : ends[b - 1]);
      std::sort(sorted.begin() + begin, sorted.begin() + static_cast<std::ptrdiff_t>(ends[b]),
                less);
    }
  });
  items.swap(sorted);
}

}  // namespace mhe::text

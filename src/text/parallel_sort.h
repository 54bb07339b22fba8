// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/context.h"
#include "base/parallel.h"

namespace mhe::text {

/// Runs that are sorted apart: a power of two.
inline constexpr std::size_t kSortRuns = 16;

/// Sorts runs on all threads and merges them pairwise. If no two items are equivalent under `less`,
/// the result does not depend on the number of threads.
template <class T, class Less>
void parallel_sort(const Context& context, std::span<T> items, const Less& less) {
  const auto bound = [&](std::size_t run) {
    return items.begin() + static_cast<std::ptrdiff_t>(items.size() * run / kSortRuns);
  };
  parallel_for(context, kSortRuns, [&](std::size_t i) { std::sort(bound(i), bound(i + 1), less); });
  for (std::size_t width = 1; width < kSortRuns; width *= 2) {
    parallel_for(context, kSortRuns / (2 * width), [&](std::size_t i) {
      const std::size_t run = 2 * width * i;
      std::inplace_merge(bound(run), bound(run + width), bound(run + 2 * width), less);
    });
  }
}

}  // namespace mhe::text

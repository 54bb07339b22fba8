// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/context.h"
#include "base/parallel.h"

namespace mhe::text {

/// Sorts runs on all threads and merges them pairwise. If no two items are equivalent under `less`,
/// the result does not depend on the number of threads.
template <class T, class Less>
void parallel_sort(const Context& context, std::span<T> items, const Less& less) {
  constexpr std::size_t kRuns = 16;  // a power of two; enough for 16 threads at the first level
  const auto bound = [&](std::size_t run) {
    return items.begin() + static_cast<std::ptrdiff_t>(items.size() * run / kRuns);
  };
  parallel_for(context, kRuns, [&](std::size_t i) { std::sort(bound(i), bound(i + 1), less); });
  for (std::size_t width = 1; width < kRuns; width *= 2) {
    parallel_for(context, kRuns / (2 * width), [&](std::size_t i) {
      const std::size_t run = 2 * width * i;
      std::inplace_merge(bound(run), bound(run + width), bound(run + 2 * width), less);
    });
  }
}

}  // namespace mhe::text

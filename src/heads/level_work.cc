// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/level_work.h"

#include <algorithm>

namespace mhe::heads {

std::span<const Positive> rows_between(std::span<const Positive> positives, std::size_t begin,
                                       std::size_t end) {
  const auto row_below = [](const Positive& p, std::size_t row) { return p.row < row; };
  const auto first = std::lower_bound(positives.begin(), positives.end(), begin, row_below);
  return {first, std::lower_bound(first, positives.end(), end, row_below)};
}

void make_room(std::vector<float>& values, std::size_t size) {
  if (values.capacity() < size) values = std::vector<float>();
  values.resize(size);
}

}  // namespace mhe::heads

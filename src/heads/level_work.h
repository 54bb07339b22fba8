// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a batch asks of one table: the same for all rows (flat_pass.h) and for the children of
// chosen parents (group_pass.h).
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heads/head_spec.h"
#include "matrix/table_optimizer.h"
#include "matrix/view.h"

namespace mhe::heads {

/// A row that is right for an example.
struct Positive {
  std::uint32_t row = 0;
  std::uint32_t example = 0;
  // clang-tidy 14 takes the 0 that a rewritten comparison compares with for a pointer.
  friend auto operator<=>(const Positive&,
                          const Positive&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Those with rows in [begin, end), of positives by row.
[[nodiscard]] inline std::span<const Positive> rows_between(std::span<const Positive> positives,
                                                            std::size_t begin, std::size_t end) {
  const auto row_below = [](const Positive& p, std::size_t row) { return p.row < row; };
  const auto first = std::lower_bound(positives.begin(), positives.end(), begin, row_below);
  return {first, std::lower_bound(first, positives.end(), end, row_below)};
}

/// What a batch should score high.
struct Targets {
  std::span<const Positive> positives;  ///< by row, then by example
  std::span<const float> weights;       ///< [example]: 1 / its positives; 0 if it has none
};

/// Room for numbers whose values do not matter: no more than asked for, and what was there goes
/// first. Groups differ from step to step, and their numbers may be most of what a training takes.
inline void make_room(std::vector<float>& values, std::size_t size) {
  if (values.capacity() < size) values = std::vector<float>();
  values.resize(size);
}

/// How rows move; without an optimiser they stay.
struct RowMove {
  const TableOptimizer* optimizer = nullptr;
  float learning_rate = 0;
};

/// Loss and gradients, summed over the examples times `weight`, and the update.
struct LevelWork {
  MatrixView features;
  Targets targets;
  Loss loss = Loss::kSoftmax;
  float weight = 1;
  RowMove move;
  MatrixSpan feature_gradient;  ///< is added to
};

}  // namespace mhe::heads

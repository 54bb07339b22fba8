// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace mhe {

/// How rows of tables move; one number of state a row, not a row: kAdam has no momentum.
enum class TableRule : std::uint8_t { kSgd, kAdagrad, kAdam };

struct TableOptimizer {
  TableRule rule = TableRule::kAdagrad;
  float weight_decay = 0;  ///< decoupled: times the learning rate, of the rows a step touches
  float beta2 = 0.999F;    ///< kAdam: decay of a row's mean squared gradient
  float epsilon = 1e-8F;
};

/// What to multiply a row's gradient by, before the learning rate; `mean_square` is that of the
/// gradient, `state` the row's number, from 0.
[[nodiscard]] inline float row_factor(const TableOptimizer& optimizer, float mean_square,
                                      float& state) noexcept {
  switch (optimizer.rule) {
    case TableRule::kSgd:
      return 1;
    case TableRule::kAdagrad:
      state += mean_square;
      break;
    case TableRule::kAdam:
      // A row begins with its first gradient: steps of the whole training say nothing about how
      // often this row was touched, so the usual correction of the start would be wrong.
      state =
          state == 0 ? mean_square : optimizer.beta2 * state + (1 - optimizer.beta2) * mean_square;
      break;
  }
  return 1 / (std::sqrt(state) + optimizer.epsilon);
}

}  // namespace mhe

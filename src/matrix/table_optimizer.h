// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How rows of tables move, of which a step touches some. Rows that it does not touch stay, and so
// does their state.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mhe {

enum class TableRule : std::uint8_t {
  // One number of state a row, not a row: kAdam has no momentum, and kSgd none of the number.
  kSgd,
  kAdagrad,
  kAdam,
  // As of a dense layer: a number or two for each weight.
  kMomentum,
  kNesterov,
  kAdamW,
};

struct TableOptimizer {
  TableRule rule = TableRule::kAdagrad;
  float weight_decay = 0;  ///< decoupled: times the learning rate, of the rows a step touches
  float momentum = 0.9F;   ///< kMomentum, kNesterov
  float beta1 = 0.9F;      ///< kAdamW
  float beta2 = 0.999F;    ///< kAdam, kAdamW: decay of the mean squared gradient
  float epsilon = 1e-8F;
};

/// Whether a rule keeps vectors for a row, not one number.
[[nodiscard]] constexpr bool keeps_vectors(TableRule rule) noexcept {
  return rule == TableRule::kMomentum || rule == TableRule::kNesterov || rule == TableRule::kAdamW;
}

/// Numbers that a rule keeps for a row of this many weights, its bias among them.
[[nodiscard]] constexpr std::uint64_t state_size(TableRule rule, std::uint64_t weights) noexcept {
  if (rule == TableRule::kAdamW) return 2 * weights + 2;  // two means, and how full they are
  return keeps_vectors(rule) ? weights : 1;
}

/// What to multiply a row's gradient by, before the learning rate, by a rule of one number;
/// `mean_square` is that of the gradient, `state` the row's number, from 0.
[[nodiscard]] inline float row_factor(const TableOptimizer& optimizer, float mean_square,
                                      float& state) noexcept {
  if (optimizer.rule == TableRule::kSgd) return 1;
  if (optimizer.rule == TableRule::kAdagrad) {
    state += mean_square;
  } else {
    // A row begins with its first gradient: steps of the whole training say nothing about how
    // often this row was touched, so the usual correction of the start would be wrong.
    state =
        state == 0 ? mean_square : optimizer.beta2 * state + (1 - optimizer.beta2) * mean_square;
  }
  return 1 / (std::sqrt(state) + optimizer.epsilon);
}

/// A row, its bias where it has one, and their gradients.
struct RowStep {
  float* row = nullptr;
  const float* gradient = nullptr;
  std::size_t size = 0;
  float scale = 1;  ///< of the row's gradient
  float* bias = nullptr;
  float bias_gradient = 0;
};

/// Moves a row by a rule that keeps vectors. `state` has state_size() numbers, from 0. The bias
/// does not decay. kAdamW corrects its means by how often this row was touched.
void move_row(const TableOptimizer& optimizer, const RowStep& step, float learning_rate,
              std::span<float> state) noexcept;

}  // namespace mhe

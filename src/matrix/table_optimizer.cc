// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix/table_optimizer.h"

#include "kernels/descent.h"

namespace mhe {
namespace {

void move_row_with_momentum(const TableOptimizer& optimizer, const RowStep& step,
                            float learning_rate, std::span<float> state) noexcept {
  kernels::MomentumStep descent = {.rate = learning_rate,
                                   .momentum = optimizer.momentum,
                                   .keep = 1 - learning_rate * optimizer.weight_decay,
                                   .scale = step.scale,
                                   .looks_ahead = optimizer.rule == TableRule::kNesterov};
  kernels::move_with_momentum(step.row, state.data(), step.gradient, step.size, descent);
  if (step.bias == nullptr) return;
  descent.keep = descent.scale = 1;
  kernels::move_with_momentum(step.bias, &state[step.size], &step.bias_gradient, 1, descent);
}

void move_row_with_adam(const TableOptimizer& optimizer, const RowStep& step, float learning_rate,
                        std::span<float> state) noexcept {
  const std::size_t weights = step.size + (step.bias == nullptr ? 0 : 1);
  // The moving mean of a 1 in every step of this row: by how much the others fall short.
  float& first_share = state[2 * weights];
  float& second_share = state[2 * weights + 1];
  first_share = optimizer.beta1 * first_share + (1 - optimizer.beta1);
  second_share = optimizer.beta2 * second_share + (1 - optimizer.beta2);
  kernels::AdamStep descent = {.rate = learning_rate,
                               .beta1 = optimizer.beta1,
                               .beta2 = optimizer.beta2,
                               .first_scale = 1 / first_share,
                               .second_scale = 1 / second_share,
                               .epsilon = optimizer.epsilon,
                               .keep = 1 - learning_rate * optimizer.weight_decay,
                               .scale = step.scale};
  float* const first = state.data();
  float* const second = first + weights;
  kernels::move_with_adam({step.row, first, second}, step.gradient, step.size, descent);
  if (step.bias == nullptr) return;
  descent.keep = descent.scale = 1;
  kernels::move_with_adam({step.bias, first + step.size, second + step.size}, &step.bias_gradient,
                          1, descent);
}

}  // namespace

void move_row(const TableOptimizer& optimizer, const RowStep& step, float learning_rate,
              std::span<float> state) noexcept {
  if (optimizer.rule == TableRule::kAdamW) {
    move_row_with_adam(optimizer, step, learning_rate, state);
  } else {
    move_row_with_momentum(optimizer, step, learning_rate, state);
  }
}

}  // namespace mhe

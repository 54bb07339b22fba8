// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/layer_optimizer.h"

#include <cmath>

namespace mhe::encoders {

void Parameters::move(const LayerOptimizer& optimizer, const LayerStep& step, std::size_t begin,
                      std::span<const float> gradient, bool decays) {
  float* const x = values.data() + begin;
  float* const m = first.data() + begin;
  float* const v = second.data() + begin;
  const float rate = step.learning_rate;
  const float kept = decays ? 1 - rate * optimizer.weight_decay : 1.0F;
  if (optimizer.rule == LayerRule::kSgd) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      m[i] = optimizer.momentum * m[i] + gradient[i];
      x[i] = kept * x[i] - rate * m[i];
    }
    return;
  }
  const double count = static_cast<double>(step.number) + 1;
  const auto first_scale = static_cast<float>(1 / (1 - std::pow(optimizer.beta1, count)));
  const auto second_scale = static_cast<float>(1 / (1 - std::pow(optimizer.beta2, count)));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const float g = gradient[i];
    m[i] = optimizer.beta1 * m[i] + (1 - optimizer.beta1) * g;
    v[i] = optimizer.beta2 * v[i] + (1 - optimizer.beta2) * g * g;
    const float direction =
        first_scale * m[i] / (std::sqrt(second_scale * v[i]) + optimizer.epsilon);
    x[i] = kept * x[i] - rate * direction;
  }
}

}  // namespace mhe::encoders

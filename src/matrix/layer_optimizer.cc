// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix/layer_optimizer.h"

#include <cmath>

#include "kernels/descent.h"

namespace mhe {

void Parameters::move(const LayerOptimizer& optimizer, const LayerStep& step, std::size_t begin,
                      std::span<const float> gradient, bool decays) {
  const float keep = decays ? 1 - step.learning_rate * optimizer.weight_decay : 1.0F;
  if (optimizer.rule != LayerRule::kAdamW) {
    kernels::move_with_momentum(values.data() + begin, first.data() + begin, gradient.data(),
                                gradient.size(),
                                {.rate = step.learning_rate,
                                 .momentum = optimizer.momentum,
                                 .keep = keep,
                                 .looks_ahead = optimizer.rule == LayerRule::kNesterov});
    return;
  }
  const double count = static_cast<double>(step.number) + 1;
  kernels::move_with_adam(
      {values.data() + begin, first.data() + begin, second.data() + begin}, gradient.data(),
      gradient.size(),
      {.rate = step.learning_rate,
       .beta1 = optimizer.beta1,
       .beta2 = optimizer.beta2,
       .first_scale = static_cast<float>(1 / (1 - std::pow(optimizer.beta1, count))),
       .second_scale = static_cast<float>(1 / (1 - std::pow(optimizer.beta2, count))),
       .epsilon = optimizer.epsilon,
       .keep = keep});
}

}  // namespace mhe

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps of gradient descent with state for each weight. Every weight goes alone, in plain products
// and sums that are not fused: the same bits for every target.
#pragma once

#include <cstddef>

namespace mhe::kernels {

/// velocity = momentum * velocity + gradient; weight = keep * weight - rate * velocity.
struct MomentumStep {
  float rate = 0.1F;
  float momentum = 0.9F;
  float keep = 1;   ///< what decay leaves of a weight
  float scale = 1;  ///< of the gradients
  /// Nesterov: the weight moves by gradient + momentum * velocity, where the velocity leads next.
  bool looks_ahead = false;
};

void move_with_momentum(float* weights, float* velocities, const float* gradients, std::size_t size,
                        const MomentumStep& step) noexcept;

/// Adam: first and second are moving means of the gradient and of its square; weight = keep *
/// weight - rate * (first_scale * first) / (sqrt(second_scale * second) + epsilon).
struct AdamStep {
  float rate = 1e-3F;
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float first_scale = 1;
  float second_scale = 1;
  float epsilon = 1e-8F;
  float keep = 1;   ///< what decay leaves of a weight
  float scale = 1;  ///< of the gradients
};

/// The weights of a step and their moving means, as many as gradients.
struct AdamArrays {
  float* weights = nullptr;
  float* first = nullptr;
  float* second = nullptr;
};

void move_with_adam(const AdamArrays& arrays, const float* gradients, std::size_t size,
                    const AdamStep& step) noexcept;

}  // namespace mhe::kernels

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How the weights of dense layers move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mhe {

enum class LayerRule : std::uint8_t { kSgd, kNesterov, kAdamW };  // the first two with momentum

struct LayerOptimizer {
  LayerRule rule = LayerRule::kAdamW;
  float weight_decay = 0;  ///< decoupled: times the learning rate; not of biases
  float momentum = 0.9F;   ///< kSgd, kNesterov
  float beta1 = 0.9F;      ///< kAdamW
  float beta2 = 0.999F;    ///< kAdamW
  float epsilon = 1e-8F;
};

/// One step: how far, and how many were made before.
struct LayerStep {
  float learning_rate = 1e-3F;
  std::uint64_t number = 0;
};

/// Numbers that training moves, with the state that takes.
class Parameters {
 public:
  explicit Parameters(std::size_t size = 0) : values(size), first(size), second(size) {}

  /// Moves the numbers from `begin` on, as many as `gradient` has. Decay is that of the optimizer
  /// where `decays`.
  void move(const LayerOptimizer& optimizer, const LayerStep& step, std::size_t begin,
            std::span<const float> gradient, bool decays);

  std::vector<float> values;
  std::vector<float> first;   ///< momentum, or mean gradient
  std::vector<float> second;  ///< mean squared gradient
};

}  // namespace mhe

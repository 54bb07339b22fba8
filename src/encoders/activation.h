// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

#include "encoders/encoder_spec.h"

namespace mhe::encoders {

/// A value of an activation and its slope there.
struct Activated {
  float value = 0;
  float slope = 0;
};

[[nodiscard]] inline Activated activate(Activation activation, float z) noexcept {
  if (activation == Activation::kRelu) return z > 0 ? Activated{z, 1} : Activated{0, 0};
  const auto share = static_cast<float>(0.5 * (1 + std::erf(z * std::numbers::sqrt2 / 2)));
  constexpr double kDensity = 0.3989422804014327;  // 1 / sqrt(2 pi)
  const auto density = static_cast<float>(kDensity * std::exp(-0.5 * static_cast<double>(z) * z));
  return {z * share, share + z * density};
}

}  // namespace mhe::encoders

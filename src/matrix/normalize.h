// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

namespace mhe {

/// Scales a vector to length 1 and returns by how much; one of length 0 stays, and it is 0.
inline float normalize_l2(std::span<float> values) noexcept {
  double squares = 0;
  for (const float value : values) squares += static_cast<double>(value) * value;
  if (squares == 0) return 0;
  const auto scale = static_cast<float>(1.0 / std::sqrt(squares));
  for (float& value : values) value *= scale;
  return scale;
}

}  // namespace mhe

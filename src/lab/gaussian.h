// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

#include "base/random.h"

namespace mhe::lab {

/// A normal number of mean 0 and deviation 1 (Box and Muller's cosine, the sine thrown away).
[[nodiscard]] inline double gaussian(RandomStream& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));  // of a number above 0
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

}  // namespace mhe::lab

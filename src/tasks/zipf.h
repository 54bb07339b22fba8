// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace mhe::tasks {

/// Draws ranks below `count` whose probability falls as 1 / (rank + 1)^exponent.
///
/// The first 1,024 ranks have probabilities of their own; behind them 16 steps an octave share one,
/// so that a hundred million ranks need a table of some kilobytes. Probabilities are multiples of
/// 2^-32 and drawing takes integers only: the same ranks on every machine, whatever the last bit of
/// its pow().
class Zipf {
 public:
  /// `count` at least 1, `exponent` from 0.
  Zipf(std::uint64_t count, double exponent);

  [[nodiscard]] std::uint64_t draw(RandomStream& random) const;

 private:
  struct Step {
    std::uint64_t threshold = 0;  // sum of the weights of all steps up to this one
    std::uint64_t first = 0;      // ranks [first, first + size)
    std::uint64_t size = 0;
  };
  std::vector<Step> steps_;
};

}  // namespace mhe::tasks

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// From scores to probabilities.
#pragma once

#include <span>
#include <vector>

namespace mhe::metrics {

/// A monotone map from scores to probabilities: linear between knots, flat beyond the outermost.
/// Without knots it leaves scores as they are.
class Calibration {
 public:
  Calibration() = default;
  /// Throws kInvalidData unless both ascend (scores strictly), are equally many, and all
  /// probabilities lie in [0, 1].
  Calibration(std::vector<float> scores, std::vector<float> probabilities);

  [[nodiscard]] float operator()(float score) const noexcept;
  [[nodiscard]] std::span<const float> scores() const noexcept { return scores_; }
  [[nodiscard]] std::span<const float> probabilities() const noexcept { return probabilities_; }

 private:
  std::vector<float> scores_;
  std::vector<float> probabilities_;
};

}  // namespace mhe::metrics

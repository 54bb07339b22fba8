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

/// A predicted label's score and whether the label is true.
struct ScoredHit {
  float score = 0;
  bool hit = false;
};

/// The calibration that fits scored labels of rows that were not trained on, at most 64 knots.
///
/// Isotonic regression, its steps joined where they differ by no more than chance and then made a
/// broken line through their centres, so that different scores keep different probabilities (up to
/// rounding) and none is 0 or 1. Fewer than 30 hits or 30 misses say too little for a free form:
/// they get a logistic curve of two parameters (Platt), of the log-odds of scores that all lie in
/// [0, 1]. No samples: the identity.
///
/// The outermost knots lie at 0 and 1 if all scores do so, and the curve then begins at next to 0;
/// else they lie as far beyond the samples as these are apart. The order of the samples does not
/// matter. O(n log n). Throws kInvalidArgument for a score that is not finite.
[[nodiscard]] Calibration fit_calibration(std::span<const ScoredHit> samples);

}  // namespace mhe::metrics

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranking in favour of rare labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <mhe/ids.h>
#include <mhe/label_space.h>

namespace mhe::predict {

/// What the probability of a label is multiplied by to rank it: (1 / propensity)^tail, which
/// follows from its training rows (Jain, Prabhu and Varma, KDD 2016). Memory does not grow with the
/// labels. Immutable; allocates nothing once made.
class TailWeights {
 public:
  /// Labels rank as they are.
  TailWeights() = default;
  /// `counts` are the training rows of each label, of `num_rows` in all, and must outlive this.
  /// Throws kInvalidArgument unless `tail` is in [0, 1]; with 0 labels rank as they are.
  TailWeights(std::span<const std::uint32_t> counts, std::uint64_t num_rows, double tail);

  [[nodiscard]] bool change_nothing() const noexcept { return by_count_.empty(); }
  /// For a label that has a count, if the weights do change something.
  [[nodiscard]] float operator()(LabelId label) const noexcept;

 private:
  [[nodiscard]] float weight_of(std::uint64_t count) const noexcept;

  std::span<const std::uint32_t> counts_;
  PropensityCurve curve_ = PropensityCurve(1);
  double tail_ = 0;
  std::vector<float> by_count_;  // of the counts that most labels have; others are worked out
};

}  // namespace mhe::predict

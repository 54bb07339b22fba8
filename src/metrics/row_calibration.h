// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// From the scores of a row's labels to probabilities.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include <mhe/input.h>

#include "metrics/calibration.h"

namespace mhe::metrics {

/// Where labels exclude each other, a score may count by its share of those of its row:
/// s^exponent / (rest + sum of s^exponent over the best of the row).
struct ScoreShare {
  double exponent = 1;  ///< more than 0; large: the best label gets nearly everything
  double rest = 0;      ///< 0 or more: what labels that were not found have

  static constexpr double kMost = 1000;  ///< of either
};

/// A curve for each score by itself; of rows with at most one label also what keeps the
/// probabilities of a row from adding up to more than 1. Labels keep their order.
class RowCalibration {
 public:
  /// Labels of a row that a calibration looks at together.
  static constexpr std::size_t kDepth = 10;

  RowCalibration() = default;
  explicit RowCalibration(Calibration curve) : curve_(std::move(curve)) {}
  /// For rows with at most one label. Throws kInvalidData for a share that cannot be.
  static RowCalibration for_one_label(Calibration curve, std::optional<ScoreShare> share);

  [[nodiscard]] const Calibration& curve() const noexcept { return curve_; }
  [[nodiscard]] bool is_for_one_label() const noexcept { return is_for_one_label_; }
  [[nodiscard]] const std::optional<ScoreShare>& share() const noexcept { return share_; }
  /// How many of its best labels have to be known for the probability of one of them.
  [[nodiscard]] std::size_t depth() const noexcept { return is_for_one_label_ ? kDepth : 0; }

  /// Replaces the scores of a row's best labels, best first and depth() of them or all there are.
  template <class Scored>
  void apply(std::span<Scored> row) const noexcept {
    if (share_) take_shares(row);
    for (Scored& label : row) label.score = curve_(label.score);
    if (is_for_one_label_) bound_sum(row);
  }

 private:
  template <class Scored>
  void take_shares(std::span<Scored> row) const noexcept {
    const auto power = [&](const Scored& label) {
      return std::pow(std::max(0.0, static_cast<double>(label.score)), share_->exponent);
    };
    double sum = share_->rest;
    for (const Scored& label : row.first(std::min(kDepth, row.size()))) sum += power(label);
    if (sum <= 0) return;  // no label has a score
    for (Scored& label : row) label.score = static_cast<float>(power(label) / sum);
  }

  // The best share out 1 at most; any other gets no more than half of what those before it left,
  // so that the probability of a label does not depend on how many are asked for.
  template <class Scored>
  static void bound_sum(std::span<Scored> row) noexcept {
    constexpr double kMost = 1 - 1e-6;  // leaves something to tell the others apart by
    const std::span<Scored> best = row.first(std::min(kDepth, row.size()));
    double sum = 0;
    for (const Scored& label : best) sum += static_cast<double>(label.score);
    const double factor = sum > kMost ? kMost / sum : 1;
    if (factor < 1) {
      for (Scored& label : row) {
        label.score = static_cast<float>(factor * static_cast<double>(label.score));
      }
    }
    double left = 1 - factor * sum;
    for (Scored& label : row.subspan(best.size())) {
      label.score = std::min(label.score, static_cast<float>(left / 2));
      left -= static_cast<double>(label.score);
    }
  }

  Calibration curve_;
  bool is_for_one_label_ = false;
  std::optional<ScoreShare> share_;
};

/// The calibration that fits the best labels of rows that were not trained on, best first, kDepth
/// of each. With `one_label` no row has more than one hit. Shares are taken where they predict
/// better: by the Brier score of each half of the rows under what fits the other.
[[nodiscard]] RowCalibration fit_row_calibration(const Ragged<ScoredHit>& rows, bool one_label);

}  // namespace mhe::metrics

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics/calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace mhe::metrics {

Calibration::Calibration(std::vector<float> scores, std::vector<float> probabilities)
    : scores_(std::move(scores)), probabilities_(std::move(probabilities)) {
  bool sound = scores_.size() == probabilities_.size();
  for (std::size_t i = 0; sound && i < scores_.size(); ++i) {
    sound = std::isfinite(scores_[i]) && probabilities_[i] >= 0 && probabilities_[i] <= 1 &&
            (i == 0 || (scores_[i - 1] < scores_[i] && probabilities_[i - 1] <= probabilities_[i]));
  }
  if (!sound) fail(ErrorCode::kInvalidData, "the knots of a calibration do not ascend in [0, 1]");
}

float Calibration::operator()(float score) const noexcept {
  if (scores_.empty()) return score;
  const auto above = std::upper_bound(scores_.begin(), scores_.end(), score);
  if (above == scores_.begin()) return probabilities_.front();
  if (above == scores_.end()) return probabilities_.back();
  const auto i = static_cast<std::size_t>(above - scores_.begin());
  const float share = (score - scores_[i - 1]) / (scores_[i] - scores_[i - 1]);
  return probabilities_[i - 1] + share * (probabilities_[i] - probabilities_[i - 1]);
}

}  // namespace mhe::metrics

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <mhe/metrics.h>

#include "base/check.h"

namespace mhe {

Reliability::Reliability(std::size_t num_bins) : bins_(num_bins) {
  require(num_bins > 0, "reliability needs at least one bin");
}

void Reliability::add(double probability, bool hit) {
  require(probability >= 0 && probability <= 1, "expected a probability from 0 to 1, found {}",
          probability);
  const auto place = static_cast<std::size_t>(probability * static_cast<double>(bins_.size()));
  Sums& bin = bins_[std::min(place, bins_.size() - 1)];
  ++bin.count;
  bin.hits += hit ? 1 : 0;
  bin.probability += probability;
  const double error = (hit ? 1 : 0) - probability;
  squared_error_ += error * error;
}

ReliabilityReport Reliability::report() const {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  ReliabilityReport report;
  report.maximum_error = kUndefined;
  double error_sum = 0;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    const Sums& sums = bins_[i];
    const auto count = static_cast<double>(sums.count);
    const auto width = 1 / static_cast<double>(bins_.size());
    ReliabilityBin bin = {.low = static_cast<double>(i) * width,
                          .high = static_cast<double>(i + 1) * width,
                          .count = sums.count,
                          .hits = sums.hits,
                          .mean_probability = kUndefined,
                          .hit_rate = kUndefined};
    if (sums.count > 0) {
      bin.mean_probability = sums.probability / count;
      bin.hit_rate = static_cast<double>(sums.hits) / count;
      const double error = std::abs(bin.hit_rate - bin.mean_probability);
      error_sum += count * error;
      // fmax passes over the NaN it begins with.
      if (sums.count >= ReliabilityReport::kMinCount) {
        report.maximum_error = std::fmax(report.maximum_error, error);
      }
    }
    report.count += sums.count;
    report.hits += sums.hits;
    report.bins.push_back(bin);
  }
  const auto total = static_cast<double>(report.count);
  report.expected_error = report.count > 0 ? error_sum / total : kUndefined;
  report.brier = report.count > 0 ? squared_error_ / total : kUndefined;
  return report;
}

}  // namespace mhe

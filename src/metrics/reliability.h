// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether probabilities mean what they say; docs/metrics.md defines the figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mhe::metrics {

/// The predictions whose probability lies in one interval.
struct ReliabilityBin {
  double low = 0;  ///< the interval is [low, high), the last one includes 1
  double high = 0;
  std::uint64_t count = 0;
  std::uint64_t hits = 0;
  double mean_probability = 0;  ///< NaN if count is 0, as hit_rate
  double hit_rate = 0;
};

/// Predicted against observed.
struct ReliabilityReport {
  std::uint64_t count = 0;
  std::uint64_t hits = 0;
  double expected_error = 0;  ///< mean |hit_rate - mean_probability| of the bins, by count
  double maximum_error = 0;   ///< the largest of those of the bins with at least kMinCount
  double brier = 0;           ///< mean squared difference of probability and truth
  std::vector<ReliabilityBin> bins;

  /// Below this a bin's hit rate is mostly chance: its standard error is up to 0.05.
  static constexpr std::uint64_t kMinCount = 100;
};

/// Counts predictions in bins of equal width. What is undefined without predictions is NaN.
class Reliability {
 public:
  /// Tenths, so that a bin reads as "between 0.7 and 0.8". Throws kInvalidArgument for 0 bins.
  explicit Reliability(std::size_t num_bins = 10);

  /// Adds a predicted label. Throws kInvalidArgument unless the probability lies in [0, 1].
  void add(double probability, bool hit);

  [[nodiscard]] ReliabilityReport report() const;

 private:
  struct Sums {
    std::uint64_t count = 0;
    std::uint64_t hits = 0;
    double probability = 0;
  };
  std::vector<Sums> bins_;
  double squared_error_ = 0;
};

}  // namespace mhe::metrics

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <mhe/context.h>
#include <mhe/input.h>
#include <mhe/metrics.h>

#include "metrics/row_scorer.h"

namespace mhe::metrics {

/// What resampling needs of every row.
struct StoredRows {
  Ragged<LabelEvent> events;    ///< labels are places
  Ragged<std::uint8_t> groups;  ///< as in RowContributions
  std::vector<float> sums;      ///< float: half the memory, and far finer than any interval

  void append(const RowContributions& rows);
};

/// Percentile intervals (95 %) of `values`, those of every group end to end, over as many resamples
/// of the rows, with replacement, as the options ask for. Intervals of values that count labels
/// once are moved by the difference between the value and the mean of its resamples. `groups` holds
/// the group of each place. The same for any number of threads. Memory: for each thread 4 bytes a
/// row and the counters of the labels; for each resample 8 bytes a value.
[[nodiscard]] std::vector<Interval> bootstrap(const Context& context, const RowScorer& scorer,
                                              const StoredRows& rows,
                                              std::span<const std::uint8_t> groups,
                                              std::span<const double> values);

}  // namespace mhe::metrics

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// From sums to metrics; used for the data itself and for every resample of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "metrics/label_counts.h"
#include "metrics/row_scorer.h"

namespace mhe::metrics {

/// The names of all values, in order: every metric with all its cutoffs, accuracy, F1 at threshold.
[[nodiscard]] std::vector<std::string> value_names(const EvaluatorOptions& options);

/// The values of every group, end to end, each as many as value_names() has. `sums` holds the sums
/// of each group end to end; `groups` the group of each place in `counts`.
[[nodiscard]] std::vector<double> summarize(const RowScorer& scorer, std::span<const double> sums,
                                            const LabelCounts& counts,
                                            std::span<const std::uint8_t> groups);

}  // namespace mhe::metrics

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a report of metrics looks: a table for people, an object for machines. Used by every verb
// that scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <mhe/metrics.h>

namespace mhe::app {

/// What the report does not know about itself.
struct MetricsSetting {
  std::vector<std::size_t> cutoffs;
  std::optional<double> threshold;
  std::uint64_t bootstrap_resamples = 0;
  bool has_training_data = true;  ///< or else frequencies are those of the truth
  /// Of a model that predicts sets, whose accuracy takes the place of that of single labels.
  std::optional<SetReport> sets = {};
};

/// Metrics as lines and k as columns, in per cent; then the bins and the facts about rows.
[[nodiscard]] std::string metrics_text(const MetricsReport& report, const MetricsSetting& setting,
                                       std::size_t width);

/// A flat object: "P@1": 93.5, ..., "rows": 6000, ..., with "by_frequency" and "confidence" inside
/// where they were asked for. What is undefined is null.
[[nodiscard]] nlohmann::ordered_json metrics_json(const MetricsReport& report,
                                                  const MetricsSetting& setting);

/// "accuracy", "precision", "recall" and "F1" in per cent.
[[nodiscard]] nlohmann::ordered_json sets_json(const SetReport& sets);

}  // namespace mhe::app

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mhe/metrics.h>

namespace mhe::metrics {
using mhe::default_frequency_bounds;
using mhe::Evaluator;
using mhe::EvaluatorOptions;
using mhe::GroupReport;
using mhe::Interval;
using mhe::Ranking;
using mhe::Reliability;
using mhe::ReliabilityBin;
using mhe::ReliabilityReport;
using mhe::ScoredLabel;
using mhe::training_labels;
using mhe::TrainingLabels;
using mhe::UnlabeledRows;
using Report = MetricsReport;
}  // namespace mhe::metrics

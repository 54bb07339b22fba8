// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The flags shared by verbs that score predictions, and what follows from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <mhe/dataset.h>
#include <mhe/label_space.h>
#include <mhe/metrics.h>
#include <mhe/predict.h>

#include "output/metrics_output.h"

namespace mhe::app {

struct ScoringFlags {
  std::vector<std::size_t> cutoffs = {1, 3, 5};
  std::string propensity = "default";
  std::string unlabeled_rows = "zero";
  std::optional<double> threshold;
  bool by_frequency = false;
  std::uint64_t bootstrap = 0;
  std::uint64_t seed = 1;
  std::size_t threads = 0;
  bool json = false;

  /// Puts the cutoffs in order, each once; to be called once the flags were parsed.
  void settle();
};

/// Adds the flags to a verb, all but --threshold, whose range depends on the verb. `flags` must
/// outlive the parser.
void add_scoring_flags(CLI::App& command, ScoringFlags& flags);

/// Adds --tail and --beam, of verbs that predict.
void add_session_flags(CLI::App& command, PredictOptions& options);

/// The constants that --propensity names. Throws UsageError.
[[nodiscard]] PropensityModel propensity_model(const ScoringFlags& flags);

[[nodiscard]] EvaluatorOptions make_evaluator_options(const ScoringFlags& flags);

/// Throws kInvalidData, saying how to name them, if the data set `name` has no labels.
void require_labels(const Schema& schema, const std::string& name);

/// How the report is to be shown.
[[nodiscard]] MetricsSetting make_setting(const ScoringFlags& flags);

/// The constants as they appear in JSON.
[[nodiscard]] nlohmann::ordered_json propensity_json(const PropensityModel& model);

}  // namespace mhe::app

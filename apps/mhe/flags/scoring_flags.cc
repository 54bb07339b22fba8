// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "flags/scoring_flags.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <mhe/error.h>

#include "flags/checks.h"
#include "flags/data_flags.h"
#include "flags/usage_error.h"

namespace mhe::app {
namespace {

// "0.55,1.5"; nothing if it is not of that form.
std::optional<PropensityModel> parse_constants(std::string_view text) {
  PropensityModel model;
  const char* const end = text.data() + text.size();
  const auto a = std::from_chars(text.data(), end, model.a);
  if (a.ec != std::errc() || a.ptr == end || *a.ptr != ',') return std::nullopt;
  const auto b = std::from_chars(a.ptr + 1, end, model.b);
  if (b.ec != std::errc() || b.ptr != end) return std::nullopt;
  return model;
}

}  // namespace

void ScoringFlags::settle() {
  std::sort(cutoffs.begin(), cutoffs.end());
  cutoffs.erase(std::unique(cutoffs.begin(), cutoffs.end()), cutoffs.end());
}

void add_scoring_flags(CLI::App& command, ScoringFlags& flags) {
  command.add_option("-k,--k", flags.cutoffs, "Cutoffs of P@k and the others")
      ->delimiter(',')
      ->check(whole_between(1, 1'000'000))
      ->capture_default_str();
  command
      .add_option("--propensity", flags.propensity,
                  "Constants A,B of PSP@k and PSnDCG@k, or default, wikipedia, amazon")
      ->capture_default_str();
  command
      .add_option("--unlabeled-rows", flags.unlabeled_rows,
                  "Rows without true labels: zero (they score 0) or skip")
      ->check(one_of({"zero", "skip"}))
      ->capture_default_str();
  command.add_flag("--by-frequency", flags.by_frequency,
                   "Also by how often the labels occur in training");
  command
      .add_option("--bootstrap", flags.bootstrap,
                  "Confidence intervals (95 %) from this many resamples of the rows, such as 1000")
      ->check(whole_between(0, 1'000'000));
  command.add_option("--seed", flags.seed, "Seed of the resampling")->capture_default_str();
  command.add_option("--threads", flags.threads, "Threads; default: one per core")
      ->capture_default_str();
  command.add_flag("--json", flags.json, "Print one JSON object");
}

void add_session_flags(CLI::App& command, PredictOptions& options) {
  command
      .add_option("--tail", options.tail,
                  "How much to favour rare labels when ranking, from 0 to 1: trades P@k for PSP@k")
      ->check(number_between(0, 1))
      ->capture_default_str();
  command
      .add_option("--beam", options.beam,
                  "Nodes of each level that a cascade follows: more find better labels and take "
                  "longer; 0: as it was trained to")
      ->check(whole_between(0, kMaxBeam))
      ->capture_default_str();
}

PropensityModel propensity_model(const ScoringFlags& flags) {
  try {
    if (const auto constants = parse_constants(flags.propensity)) {
      static_cast<void>(propensities({}, 1, *constants));  // checks them
      return *constants;
    }
    return propensity_preset(flags.propensity);
  } catch (const Error& error) {
    throw UsageError(
        fmt::format("--propensity: expected A,B such as 0.55,1.5, or a preset: {}", error.what()));
  }
}

EvaluatorOptions make_evaluator_options(const ScoringFlags& flags) {
  return {.cutoffs = flags.cutoffs,
          .threshold = flags.threshold,
          .unlabeled_rows =
              flags.unlabeled_rows == "skip" ? UnlabeledRows::kSkip : UnlabeledRows::kZero,
          .ranking = Ranking::kByScore,
          .frequency_bounds =
              flags.by_frequency ? default_frequency_bounds() : std::vector<std::uint64_t>(),
          .bootstrap_resamples = flags.bootstrap};
}

void require_labels(const Schema& schema, const std::string& name) {
  if (schema.has_labels) return;
  throw_error(ErrorCode::kInvalidData,
              "{}: expected labels, found none; name their column with --labels or their file with "
              "--label-file",
              name);
}

MetricsSetting make_setting(const ScoringFlags& flags) {
  return {.cutoffs = flags.cutoffs,
          .threshold = flags.threshold,
          .bootstrap_resamples = flags.bootstrap,
          .has_training_data = true};
}

nlohmann::ordered_json propensity_json(const PropensityModel& model) {
  return {{"A", model.a}, {"B", model.b}};
}

}  // namespace mhe::app

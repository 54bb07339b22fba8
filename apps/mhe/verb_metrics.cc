// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mhe/error.h>

#include "base/check.h"
#include "data/reader.h"
#include "data_flags.h"
#include "labels/names.h"
#include "labels/propensity.h"
#include "metrics/evaluator.h"
#include "metrics/frequency_bins.h"
#include "metrics/predictions.h"
#include "metrics_output.h"
#include "units.h"
#include "verbs.h"

namespace mhe::app {
namespace {

struct MetricsFlags {
  std::string truth;
  std::string pred;
  std::string train;
  std::string train_label_file;
  std::vector<std::size_t> cutoffs = {1, 3, 5};
  std::string propensity = "default";
  std::string unlabeled_rows = "zero";
  std::optional<double> threshold;
  bool ranked = false;
  bool by_frequency = false;
  std::uint64_t bootstrap = 0;
  std::uint64_t seed = 1;
  std::size_t threads = 0;
  bool json = false;
  DataFlags data;
};

// "0.55,1.5"; nothing if it is not of that form.
std::optional<labels::PropensityModel> parse_constants(std::string_view text) {
  labels::PropensityModel model;
  const char* const end = text.data() + text.size();
  const auto a = std::from_chars(text.data(), end, model.a);
  if (a.ec != std::errc() || a.ptr == end || *a.ptr != ',') return std::nullopt;
  const auto b = std::from_chars(a.ptr + 1, end, model.b);
  if (b.ec != std::errc() || b.ptr != end) return std::nullopt;
  return model;
}

labels::PropensityModel parse_propensity(const std::string& flag) {
  try {
    if (const auto constants = parse_constants(flag)) {
      static_cast<void>(labels::propensities({}, 1, *constants));  // checks them
      return *constants;
    }
    return labels::propensity_preset(flag);
  } catch (const Error& error) {
    throw UsageError(
        fmt::format("--propensity: expected A,B such as 0.55,1.5, or a preset: {}", error.what()));
  }
}

data::ReadOptions make_train_options(const MetricsFlags& flags) {
  data::ReadOptions options = make_read_options(flags.data, flags.train);
  options.label_path = flags.train_label_file;
  return options;
}

metrics::EvaluatorOptions make_evaluator_options(const MetricsFlags& flags) {
  return {.cutoffs = flags.cutoffs,
          .threshold = flags.threshold,
          .unlabeled_rows = flags.unlabeled_rows == "skip" ? metrics::UnlabeledRows::kSkip
                                                           : metrics::UnlabeledRows::kZero,
          .ranking = flags.ranked ? metrics::Ranking::kAsGiven : metrics::Ranking::kByScore,
          .frequency_bounds = flags.by_frequency ? metrics::default_frequency_bounds()
                                                 : std::vector<std::uint64_t>(),
          .bootstrap_resamples = flags.bootstrap};
}

void check(const MetricsFlags& flags) {
  if (flags.train.empty() && !flags.train_label_file.empty()) {
    throw UsageError("--train-label-file goes with --train");
  }
  if (!flags.train.empty() && flags.data.label_file.empty() != flags.train_label_file.empty()) {
    throw UsageError(
        "--train needs --train-label-file if --truth has a --label-file, and only then");
  }
  const std::array paths = {flags.truth, flags.pred, flags.train, flags.data.label_file,
                            flags.train_label_file};
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw UsageError("standard input can be one file only, but - is given more than once");
  }
}

// Reads the labels of a file and hands them over batch by batch; returns the number of rows.
template <class Take>
std::uint64_t read_labels(const Context& context, const data::ReadOptions& options,
                          labels::LabelNames& names, const Take& take) {
  const auto reader = data::open_reader(context, options, names);
  if (!reader->schema().has_labels) {
    fail(ErrorCode::kInvalidData,
         "{}: expected labels, found none; name their column with --labels or their file with "
         "--label-file",
         options.path);
  }
  data::RowBatch batch;
  while (reader->next(batch)) take(batch.labels);
  for (const std::string& line : reader->report().bad_lines) context.warn("skipped " + line);
  return reader->report().rows;
}

void count_labels(const Ragged<LabelId>& rows, std::vector<std::uint64_t>& counts) {
  for (const LabelId label : rows.items) {
    if (index_of(label) >= counts.size()) counts.resize(index_of(label) + 1, 0);
    ++counts[index_of(label)];
  }
}

metrics::TrainingLabels make_training_labels(std::vector<std::uint64_t> counts, std::uint64_t rows,
                                             const labels::PropensityModel& model) {
  counts.push_back(0);  // a label never seen
  metrics::TrainingLabels training;
  training.propensities = labels::propensities(counts, rows, model);
  training.unseen_propensity = training.propensities.back();
  training.counts = std::move(counts);
  return training;
}

// Row counts must agree; reads on to the end so that the message can name both.
void score_all(const Context& context, const MetricsFlags& flags, const Ragged<LabelId>& truth,
               labels::LabelNames& names, metrics::Evaluator& evaluator) {
  metrics::PredictionReader reader(context, flags.pred, names);
  Ragged<metrics::ScoredLabel> predictions;
  Ragged<LabelId> part;
  std::uint64_t rows = 0;
  while (reader.next(predictions)) {
    const std::uint64_t first = rows;
    rows += predictions.rows();
    if (rows > truth.rows()) continue;
    part.clear();
    for (std::uint64_t row = first; row < rows; ++row) part.push_row(truth[row]);
    evaluator.add(context, part, predictions);
  }
  if (rows != truth.rows()) {
    fail(ErrorCode::kInvalidData,
         "{} has predictions for {} rows, but {} has {} rows; expected a line for each row, empty "
         "if "
         "nothing is predicted",
         flags.pred, format_count(rows), flags.truth, format_count(truth.rows()));
  }
}

void run_metrics(Console& console, const MetricsFlags& flags) {
  check(flags);
  const labels::PropensityModel model = parse_propensity(flags.propensity);
  const auto context = console.make_context(flags.threads, flags.seed);
  labels::LabelNames names;
  std::vector<std::uint64_t> counts;
  std::uint64_t train_rows = 0;
  if (!flags.train.empty()) {
    train_rows = read_labels(*context, make_train_options(flags), names,
                             [&](const Ragged<LabelId>& rows) { count_labels(rows, counts); });
  }
  Ragged<LabelId> truth;
  const std::uint64_t truth_rows =
      read_labels(*context, make_read_options(flags.data, flags.truth), names,
                  [&](const Ragged<LabelId>& rows) { truth.append(rows); });
  const bool has_train = !flags.train.empty();
  if (!has_train) {
    count_labels(truth, counts);
    console.say("no --train: PSP, PSnDCG and frequencies use the label counts of the truth file");
  }
  metrics::Evaluator evaluator(
      make_evaluator_options(flags),
      make_training_labels(std::move(counts), has_train ? train_rows : truth_rows, model));
  score_all(*context, flags, truth, names, evaluator);
  const metrics::Report report = evaluator.report(*context);
  const MetricsSetting setting = {flags.cutoffs, flags.threshold, flags.bootstrap, has_train};
  if (flags.json) {
    nlohmann::ordered_json json = metrics_json(report, setting);
    json["frequencies_from"] = has_train ? "train" : "truth";
    json["propensity"] = {{"A", model.a}, {"B", model.b}};
    console.print(json.dump(2) + "\n");
  } else {
    console.print(metrics_text(report, setting, console.width()));
  }
  console.summarize({report.rows, report.overall.labels});
}

void add_flags(CLI::App& command, MetricsFlags& flags) {
  command.add_option("--truth", flags.truth, "Data set with the true labels; - is standard input")
      ->required();
  command
      .add_option("--pred", flags.pred,
                  "Predictions, a line for each row: label:score label:score ..., or JSON lines "
                  "{\"labels\": [{\"label\": \"x\", \"p\": 0.5}, ...]}")
      ->required();
  command.add_option("--k", flags.cutoffs, "Cutoffs of P@k and the others")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command.add_option("--train", flags.train,
                     "Training data, for the frequencies of labels; read with the same flags");
  command.add_option("--train-label-file", flags.train_label_file,
                     "Second file with the labels of --train");
  command
      .add_option("--propensity", flags.propensity,
                  "Constants A,B of PSP@k and PSnDCG@k, or default, wikipedia, amazon")
      ->capture_default_str();
  command.add_option("--threshold", flags.threshold,
                     "Also F1 of the labels that score at least this");
  command.add_flag("--ranked", flags.ranked, "Labels stand best first; do not order them by score");
  command
      .add_option("--unlabeled-rows", flags.unlabeled_rows,
                  "Rows without true labels: zero (they score 0) or skip")
      ->check(CLI::IsMember({"zero", "skip"}))
      ->capture_default_str();
  command.add_flag("--by-frequency", flags.by_frequency,
                   "Also by how often the labels occur in training");
  command
      .add_option("--bootstrap", flags.bootstrap,
                  "Confidence intervals (95 %) from this many resamples of the rows, such as 1000")
      ->check(CLI::Range(0, 1'000'000));
  command.add_option("--seed", flags.seed, "Seed of the resampling")->capture_default_str();
  command.add_option("--threads", flags.threads, "Threads; 0: one per core")->capture_default_str();
  command.add_flag("--json", flags.json, "Print one JSON object");
}

}  // namespace

std::function<void(Console&)> add_metrics(CLI::App& command) {
  auto flags =
      std::make_shared<MetricsFlags>();  // shared: the flags outlive the parser that fills them
  add_flags(command, *flags);
  add_data_flags(command, flags->data);
  return [flags](Console& console) {
    std::sort(flags->cutoffs.begin(), flags->cutoffs.end());
    flags->cutoffs.erase(std::unique(flags->cutoffs.begin(), flags->cutoffs.end()),
                         flags->cutoffs.end());
    run_metrics(console, *flags);
  };
}

}  // namespace mhe::app

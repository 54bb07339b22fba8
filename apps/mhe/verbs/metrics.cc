// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mhe/label_space.h>
#include <mhe/metrics.h>

#include "flags/data_flags.h"
#include "flags/scoring_flags.h"
#include "flags/usage_error.h"
#include "output/metrics_output.h"
#include "output/units.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

struct MetricsFlags {
  std::string truth;
  std::string pred;
  std::string train;
  std::string train_label_file;
  bool ranked = false;
  ScoringFlags scoring;
  DataFlags data;
};

ReadOptions make_train_options(const MetricsFlags& flags) {
  ReadOptions options = make_read_options(flags.data, flags.train);
  options.label_path = flags.train_label_file;
  return options;
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

// Reads the labels of a file and hands them over batch by batch; returns the number of rows. Labels
// are separated as in the file before, which `separated` says.
template <class Take>
std::uint64_t read_labels(const Context& context, ReadOptions options, LabelNames& names,
                          DataLayout& separated, const Take& take) {
  options.labels_only = true;
  options.expected = separated;
  const auto reader = open_reader(context, options, names);
  separated.format = reader->schema().layout.format;
  separated.label_separator = reader->schema().layout.label_separator;
  require_labels(reader->schema(), options.path);
  RowBatch batch;
  while (reader->next(batch)) take(batch.labels);
  return reader->report().rows;
}

void count_labels(const Ragged<LabelId>& rows, std::vector<std::uint64_t>& counts) {
  for (const LabelId label : rows.items) {
    if (index_of(label) >= counts.size()) counts.resize(index_of(label) + 1, 0);
    ++counts[index_of(label)];
  }
}

// Row counts must agree; reads on to the end so that the message can name both.
void score_all(const Context& context, const MetricsFlags& flags, const Ragged<LabelId>& truth,
               LabelNames& names, Evaluator& evaluator) {
  PredictionReader reader(context, flags.pred, names);
  Ragged<ScoredLabel> predictions;
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
    throw_error(
        ErrorCode::kInvalidData,
        "{} has predictions for {} rows, but {} has {} rows; expected a line for each row, empty "
        "if "
        "nothing is predicted",
        flags.pred, format_count(rows), flags.truth, format_count(truth.rows()));
  }
}

void run_metrics(Console& console, const MetricsFlags& flags) {
  check(flags);
  const PropensityModel model = propensity_model(flags.scoring);
  const auto context = console.make_context(flags.scoring.threads, flags.scoring.seed);
  LabelNames names;
  std::vector<std::uint64_t> counts;
  std::uint64_t train_rows = 0;
  DataLayout separated;
  if (!flags.train.empty()) {
    train_rows = read_labels(*context, make_train_options(flags), names, separated,
                             [&](const Ragged<LabelId>& rows) { count_labels(rows, counts); });
  }
  Ragged<LabelId> truth;
  const std::uint64_t truth_rows =
      read_labels(*context, make_read_options(flags.data, flags.truth), names, separated,
                  [&](const Ragged<LabelId>& rows) { truth.append(rows); });
  const bool has_train = !flags.train.empty();
  if (!has_train) {
    count_labels(truth, counts);
    console.say("no --train: PSP, PSnDCG and frequencies use the label counts of the truth file");
  }
  EvaluatorOptions options = make_evaluator_options(flags.scoring);
  if (flags.ranked) options.ranking = Ranking::kAsGiven;
  Evaluator evaluator(std::move(options),
                      training_labels(std::move(counts),
                                      PropensityCurve(has_train ? train_rows : truth_rows, model)));
  score_all(*context, flags, truth, names, evaluator);
  const MetricsReport report = evaluator.report(*context);
  MetricsSetting setting = make_setting(flags.scoring);
  setting.has_training_data = has_train;
  if (flags.scoring.json) {
    nlohmann::ordered_json json = metrics_json(report, setting);
    json["frequencies_from"] = has_train ? "train" : "truth";
    json["propensity"] = propensity_json(model);
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
  command.add_option("--train", flags.train,
                     "Training data, for the frequencies of labels; read with the same flags");
  command.add_option("--train-label-file", flags.train_label_file,
                     "Second file with the labels of --train");
  command.add_option("--threshold", flags.scoring.threshold,
                     "Also F1 of the labels that score at least this");
  command.add_flag("--ranked", flags.ranked, "Labels stand best first; do not order them by score");
  add_scoring_flags(command, flags.scoring);
}

}  // namespace

std::function<void(Console&)> add_metrics(CLI::App& command) {
  auto flags =
      std::make_shared<MetricsFlags>();  // shared: the flags outlive the parser that fills them
  add_flags(command, *flags);
  add_data_flags(command, flags->data);
  return [flags](Console& console) {
    flags->scoring.settle();
    run_metrics(console, *flags);
  };
}

}  // namespace mhe::app

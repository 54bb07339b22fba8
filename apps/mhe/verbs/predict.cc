// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include <mhe/predict.h>

#include "flags/checks.h"
#include "flags/data_flags.h"
#include "flags/scoring_flags.h"
#include "output/prediction_output.h"
#include "verbs/model_rows.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

constexpr std::size_t kDefaultLabels = 5;
constexpr std::size_t kMostAboveThreshold = 100;  // with --threshold alone: more are never meant

struct PredictFlags {
  std::string model;
  std::string input = "-";
  DataFlags data;
  std::optional<std::size_t> k;
  std::optional<float> threshold;
  PredictOptions session;
  std::size_t threads = 0;
  bool sets = false;
  bool json = false;
};

PredictionForm choose_form(const PredictFlags& flags) {
  if (flags.json) return PredictionForm::kJson;
  return ::isatty(STDOUT_FILENO) == 1 ? PredictionForm::kColumns : PredictionForm::kLines;
}

// What is asked for of each row.
PredictOptions make_predict_options(const PredictFlags& flags) {
  PredictOptions options = flags.session;
  const std::size_t k = flags.k.value_or(flags.threshold ? kMostAboveThreshold : kDefaultLabels);
  options.k = flags.sets ? 1 : k;
  options.sets = flags.sets ? k : 0;
  options.threshold = flags.threshold.value_or(0);
  return options;
}

// The sets that reach the threshold, which come first.
std::span<const LabelSet> cut(std::span<const LabelSet> sets,
                              const std::optional<float>& threshold) {
  if (!threshold) return sets;
  const auto end = std::find_if(sets.begin(), sets.end(),
                                [&](const LabelSet& set) { return set.probability < *threshold; });
  return sets.first(static_cast<std::size_t>(end - sets.begin()));
}

void run_predict(Console& console, const PredictFlags& flags) {
  const auto context = console.make_context(flags.threads);
  const Model model = Model::open(flags.model);
  Session session(model, *context);
  const PredictOptions options = make_predict_options(flags);
  session.check(options);
  ReadOptions input = make_read_options(flags.data, flags.input);
  input.live = flags.input == "-";
  LabelNames ignored;  // labels that the data may have
  ModelRows rows(*context, model, input, ignored);
  const bool has_ids = rows.reader().schema().has_ids;
  const PredictionForm form = choose_form(flags);
  while (rows.next()) {
    const Predictions& found = session.predict(rows.rows(), options);
    std::string text;
    for (std::size_t row = 0; row < found.size(); ++row) {
      const std::string id = has_ids ? std::string(string_at(rows.batch().ids, row))
                                     : fmt::format("{}", rows.batch().first_row + row + 1);
      text += flags.sets
                  ? format_sets(model, {id, has_ids, cut(found.sets(row), flags.threshold)}, form,
                                console.width())
                  : format_predictions(model, {id, has_ids, found[row]}, form, console.width());
    }
    console.print(text);
  }
  console.summarize({.rows = rows.reader().report().rows, .labels = model.num_labels()});
}

}  // namespace

std::function<void(Console&)> add_predict(CLI::App& command) {
  auto flags = std::make_shared<PredictFlags>();
  command.add_option("MODEL", flags->model, "Model file")->required();
  command
      .add_option("DATA", flags->input,
                  "What to predict for, of the kind the model was trained on; for a model of text "
                  "also a text a line; - is standard input")
      ->capture_default_str();
  command
      .add_option("-k,--k", flags->k,
                  "How many labels a row at most; default: 5, with --threshold 100")
      ->check(whole_between(1, 1'000'000));
  command
      .add_option("--threshold", flags->threshold,
                  "Only labels whose probability is at least this, from 0 to 1")
      ->check(number_between(0, 1));
  add_session_flags(command, flags->session);
  command
      .add_flag(
          "--sets", flags->sets,
          "Print the most probable sets of labels, of a model trained with --powerset; -k and "
          "--threshold are then about sets")
      ->excludes("--tail");
  command.add_flag("--json", flags->json, "Print a JSON object a row");
  command.add_option("--threads", flags->threads, "Threads; default: one per core");
  add_data_flags(command, flags->data);
  return [flags](Console& console) { run_predict(console, *flags); };
}

}  // namespace mhe::app

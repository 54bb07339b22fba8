// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mhe/metrics.h>
#include <mhe/predict.h>

#include "flags/checks.h"
#include "flags/data_flags.h"
#include "flags/scoring_flags.h"
#include "flags/usage_error.h"
#include "output/metrics_output.h"
#include "output/reading_output.h"
#include "output/reliability_output.h"
#include "output/units.h"
#include "verbs/model_rows.h"
#include "verbs/verbs.h"

namespace mhe::app {
namespace {

// Reliability looks at so many labels a row, whatever -k is, so that its figures can be compared;
// training calibrates on as many.
constexpr std::size_t kReliabilityLabels = 10;
constexpr std::size_t kExampleLabels = 3;
constexpr std::size_t kThresholdLabels = 100;  // a row; as `mhe predict --threshold` gives

struct EvalFlags {
  std::string model;
  std::string input;
  PredictOptions session;
  bool bins = false;
  ScoringFlags scoring;
  DataFlags data;
};

Evaluator make_evaluator(const ScoringFlags& flags, const Model& model) {
  EvaluatorOptions options = make_evaluator_options(flags);
  options.ranking = Ranking::kAsGiven;  // by score, which probabilities may round to ties
  // As they lie in the file: of 10^8 labels a copy would take a gigabyte.
  const auto count_of = [counts = model.label_counts()](LabelId label) -> std::uint64_t {
    return index_of(label) < counts.size() ? counts[index_of(label)] : 0;
  };
  const PropensityCurve propensity(model.training_rows(), propensity_model(flags));
  return {std::move(options), training_labels(count_of, propensity)};
}

// True labels that the model knows, and those that it has never seen.
struct LabelMatch {
  std::uint64_t known = 0;
  std::uint64_t unknown = 0;
  std::vector<std::string> examples = {};  // of unknown ones

  void add(const Ragged<LabelId>& rows, const Model& model, const LabelNames& names) {
    for (const LabelId label : rows.items) {
      const bool is_known = index_of(label) < model.num_labels();
      ++(is_known ? known : unknown);
      if (is_known || examples.size() == kExampleLabels) continue;
      std::string name = in_quotes(names.name(label));
      if (std::find(examples.begin(), examples.end(), name) == examples.end()) {
        examples.push_back(std::move(name));
      }
    }
  }
};

// What was found so far.
struct Scores {
  Evaluator evaluator;
  LabelMatch match = {};
  Reliability reliability = Reliability();
  std::optional<HeadAccuracy> heads = std::nullopt;  // product heads and cascades
  std::optional<SetEvaluator> sets = std::nullopt;   // powersets
};

std::vector<double> per_cent(std::vector<double> shares) {
  for (double& share : shares) share *= 100;
  return shares;
}

std::string heads_text(const HeadAccuracy& heads) {
  constexpr std::size_t kInLine = 8;  // heads: 80 columns hold as many
  std::string text = "head accuracy";
  const std::vector<double> shares = heads.shares();
  for (std::size_t h = 0; h < shares.size(); ++h) {
    if (h > 0 && h % kInLine == 0) text += fmt::format("\n{:13}", "");
    text += fmt::format("  {:6.2f}", 100 * shares[h]);
  }
  text += "\n";
  if (const auto mass = heads.phantom_mass()) {
    text += fmt::format("no label      {:.2f} % of the probability\n", 100 * *mass);
  }
  return text;
}

void add_reliability(std::span<const LabelId> truth, std::span<const ScoredLabel> row,
                     Reliability& reliability) {
  for (const auto& [label, probability] : row.first(std::min(row.size(), kReliabilityLabels))) {
    reliability.add(probability, std::binary_search(truth.begin(), truth.end(), label));
  }
}

void score_batch(const Context& context, const ScoringFlags& flags, const Ragged<LabelId>& truth,
                 const Predictions& found, Scores& scores) {
  Ragged<ScoredLabel> predictions;
  for (std::size_t row = 0; row < found.size(); ++row) {
    for (const auto& [label, probability] : found[row]) {
      predictions.items.push_back({label, probability});
    }
    predictions.end_row();
    const bool skipped = truth[row].empty() && flags.unlabeled_rows == "skip";
    if (!skipped) add_reliability(truth[row], found[row], scores.reliability);
    if (scores.heads) scores.heads->add(truth[row], found.choices(row), found.phantom_mass(row));
    if (scores.sets && !skipped) scores.sets->add(truth[row], found.sets(row).front().labels);
  }
  scores.evaluator.add(context, truth, predictions);
}

// Where the labels came from, as a message says it.
std::string place_of_labels(const Schema& schema) {
  const DataLayout& layout = schema.layout;
  const std::string place = layout.label_column.empty()
                                ? "the data"
                                : fmt::format("the column {}", in_quotes(layout.label_column));
  return layout.label_separator.empty()
             ? place
             : fmt::format("{}, {}", place, separator_words(layout.label_separator));
}

// Throws where the model knows none of the labels; says so where it knows less than half.
void check_match(Console& console, const std::string& name, const Schema& schema,
                 const LabelMatch& match, const Model& model) {
  if (match.unknown <= match.known) return;
  const std::string place = place_of_labels(schema);
  if (match.known == 0) {
    std::vector<std::string> own;
    for (std::uint32_t i = 0; i < std::min(model.num_labels(), kExampleLabels); ++i) {
      own.push_back(in_quotes(model.label_name(LabelId{i})));
    }
    throw_error(ErrorCode::kInvalidData,
                "{}: the model knows none of the {} true labels: {} has {}; the model has {}. "
                "--labels names the column, --label-separator what separates labels",
                name, format_count(match.unknown), place, fmt::join(match.examples, ", "),
                fmt::join(own, ", "));
  }
  const std::uint64_t all = match.known + match.unknown;
  console.say(fmt::format(
      "the model does not know {} of {} true labels ({:.1f} %), which count as missed: {} has {}",
      format_count(match.unknown), format_count(all),
      100 * static_cast<double>(match.unknown) / static_cast<double>(all), place,
      fmt::join(match.examples, ", ")));
}

// Reads, predicts and scores batch by batch, so that memory does not grow with the data.
Scores score_all(Console& console, const Context& context, const EvalFlags& flags,
                 const Model& model) {
  Scores scores = {.evaluator = make_evaluator(flags.scoring, model)};
  PredictOptions options = flags.session;
  options.choices = !model.head_choices().empty();
  if (options.choices) scores.heads.emplace(model);
  options.sets = model.predicts_sets() ? 1 : 0;
  if (options.sets > 0) scores.sets.emplace();
  options.k = std::max(flags.scoring.cutoffs.back(),
                       flags.scoring.threshold ? kThresholdLabels : kReliabilityLabels);
  Session session(model, context);
  session.check(options);
  LabelNames names = model.label_names();
  ModelRows rows(context, model, make_read_options(flags.data, flags.input), names);
  rows.require_labels();
  while (rows.next()) {
    scores.match.add(rows.batch().labels, model, names);
    score_batch(context, flags.scoring, rows.batch().labels, session.predict(rows.rows(), options),
                scores);
  }
  check_match(console, flags.input == "-" ? "standard input" : flags.input, rows.reader().schema(),
              scores.match, model);
  return scores;
}

void run_eval(Console& console, const EvalFlags& flags) {
  const PropensityModel propensity = propensity_model(flags.scoring);
  const auto context = console.make_context(flags.scoring.threads, flags.scoring.seed);
  const Model model = Model::open(flags.model);
  const Scores scores = score_all(console, *context, flags, model);
  const MetricsReport report = scores.evaluator.report(*context);
  const ReliabilityReport reliability = scores.reliability.report();
  MetricsSetting setting = make_setting(flags.scoring);
  if (scores.sets) setting.sets = scores.sets->report();
  if (flags.scoring.json) {
    nlohmann::ordered_json json = metrics_json(report, setting);
    json["frequencies_from"] = "model";
    json["unknown_labels"] = scores.match.unknown;
    json["propensity"] = propensity_json(propensity);
    json["tail"] = flags.session.tail;
    json["beam"] = flags.session.beam;
    put_reliability(reliability, json);
    if (scores.heads) {
      json["head_accuracy"] = per_cent(scores.heads->shares());
      if (const auto mass = scores.heads->phantom_mass()) json["phantom_mass"] = 100 * *mass;
    }
    console.print(json.dump(2) + "\n");
  } else {
    std::string text = metrics_text(report, setting, console.width());
    if (scores.heads) text += "\n" + heads_text(*scores.heads);
    text += "\n" + reliability_text(reliability);
    if (flags.bins) {
      text += "\n" + reliability_diagram(reliability, console.width(), bar_style_of_environment());
    }
    console.print(text);
  }
  console.summarize({report.rows, report.overall.labels});
}

}  // namespace

std::function<void(Console&)> add_eval(CLI::App& command) {
  auto flags = std::make_shared<EvalFlags>();
  command.add_option("MODEL", flags->model, "Model file")->required();
  command
      .add_option("DATA", flags->input,
                  "Data set with true labels, of the kind the model was trained on; - is standard "
                  "input")
      ->required();
  command
      .add_option("--threshold", flags->scoring.threshold,
                  "Also F1 of the labels whose probability is at least this, from 0 to 1")
      ->check(number_between(0, 1));
  add_session_flags(command, flags->session);
  command.add_flag("--bins", flags->bins,
                   "Also a diagram of predicted against observed probabilities");
  add_scoring_flags(command, flags->scoring);
  add_data_flags(command, flags->data);
  return [flags](Console& console) {
    flags->scoring.settle();
    run_eval(console, *flags);
  };
}

}  // namespace mhe::app

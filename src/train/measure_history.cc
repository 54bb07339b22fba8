// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/measure_history.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <mhe/label_space.h>
#include <mhe/metrics.h>

#include "metrics/frequency_bins.h"
#include "metrics/row_calibration.h"
#include "train/head_quality.h"
#include "train/members.h"
#include "train/validation.h"

namespace mhe::train {
namespace {

constexpr std::size_t kDepth = metrics::RowCalibration::kDepth;  // labels of a row

double per_cent(double part, double all) {
  return all > 0 ? 100 * part / all : 0;
}

MetricsReport evaluate(const Context& context, const Ragged<ScoredLabel>& ranked,
                       const TrainingSet& set, const Ragged<LabelId>& truth) {
  EvaluatorOptions options;
  options.cutoffs.resize(kDepth);
  std::iota(options.cutoffs.begin(), options.cutoffs.end(), std::size_t{1});
  options.ranking = Ranking::kAsGiven;
  options.frequency_bounds = default_frequency_bounds();
  const std::vector<std::uint32_t> counts = count_labels(set.examples.labels, set.names.size());
  Evaluator evaluator(std::move(options),
                      training_labels(std::vector<std::uint64_t>(counts.begin(), counts.end()),
                                      PropensityCurve(set.examples.rows())));
  Ragged<ScoredLabel> predictions;
  for (std::size_t row = 0; row < ranked.rows(); ++row) {
    for (const auto& [label, score] : ranked[row]) predictions.items.push_back({label, score});
    predictions.end_row();
  }
  evaluator.add(context, truth, predictions);
  return evaluator.report(context);
}

Chart cutoff_chart(const MetricsReport& report) {
  Chart chart = {.topic = Topic::kQuality,
                 .title = "How many labels to ask for",
                 .note =
                     "Precision is the share of the k best labels that are true, recall the "
                     "share of the true labels that are among them.",
                 .x_unit = "labels a row, k",
                 .y_unit = "per cent",
                 .curves = {}};
  for (const auto& [metric, name] :
       {std::pair{"P", "precision"}, {"R", "recall"}, {"nDCG", "nDCG"}}) {
    Curve curve = {name, {}};
    for (std::size_t k = 1; k <= kDepth; ++k) {
      curve.points.push_back(
          {static_cast<double>(k), 100 * report.value(fmt::format("{}@{}", metric, k))});
    }
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

// Precision and recall of the labels above a probability.
Chart threshold_chart(const RankedRows& calibrated, std::size_t true_labels) {
  constexpr int kSteps = 20;
  Chart chart = {.topic = Topic::kProbabilities,
                 .title = "Where to put a threshold",
                 .note =
                     "Of all labels above a probability: how many are true, and how many of "
                     "the true ones they are. mhe predict --threshold takes the same number.",
                 .x_unit = "least probability",
                 .y_unit = "per cent",
                 .curves = {{"precision", {}}, {"recall", {}}}};
  for (int step = 0; step < kSteps; ++step) {
    const double threshold = static_cast<double>(step) / kSteps;
    std::size_t taken = 0;
    std::size_t hits = 0;
    for (const metrics::ScoredHit& label : calibrated.items) {
      if (label.score < threshold) continue;
      ++taken;
      hits += static_cast<std::size_t>(label.hit);
    }
    const auto found = static_cast<double>(hits);
    if (taken > 0) {
      chart.curves[0].points.push_back({threshold, per_cent(found, static_cast<double>(taken))});
    }
    chart.curves[1].points.push_back(
        {threshold, per_cent(found, static_cast<double>(true_labels))});
  }
  return chart;
}

// Mean nDCG@5 of the rows under other settings of the search.
class SearchCharts {
 public:
  SearchCharts(const Context& context, const model::LinearMember& member, const Examples& rows)
      : context_(context), member_(member), rows_(rows) {}

  [[nodiscard]] Chart powers() const {
    constexpr float kPowers[] = {0.05F, 0.1F, 0.2F, 0.3F, 0.5F, 0.7F, 1.0F};
    Chart chart =
        chart_of("Parent weight",
                 "A label's score is its own times that of the heads above it to the power "
                 "of this.",
                 "parent weight");
    for (const float power : kPowers) {
      add(chart, double{power}, [&](heads::BeamOptions& search) { search.parent_power = power; });
    }
    return chart;
  }

  [[nodiscard]] Chart beams() const {
    constexpr std::size_t kBeams[] = {1, 2, 3, 5, 10, 20, 50};
    Chart chart = chart_of("How wide to search",
                           "Nodes kept at each head while predicting: fewer are quicker. Where "
                           "the line is flat, wider buys nothing.",
                           "beam");
    chart.x_scale = Scale::kLogarithmic;
    for (const std::size_t beam : kBeams) {
      add(chart, static_cast<double>(beam),
          [&](heads::BeamOptions& search) { search.beam = beam; });
    }
    return chart;
  }

 private:
  [[nodiscard]] static Chart chart_of(const char* title, const char* note, const char* x_unit) {
    return {.title = title,
            .note = note,
            .x_unit = x_unit,
            .y_unit = "nDCG@5, per cent",
            .curves = {{"nDCG@5", {}}}};
  }

  template <class Change>
  void add(Chart& chart, double x, const Change& change) const {
    std::vector<model::Cascade> changed(member_.cascades().begin(), member_.cascades().end());
    for (model::Cascade& cascade : changed) change(cascade.search);
    const model::LinearMember trial(std::move(changed), member_.neighbours());
    chart.curves[0].points.push_back({x, mean_gain(context_, ranking_of(trial, rows_))});
  }

  const Context& context_;
  const model::LinearMember& member_;
  const Examples& rows_;
};

}  // namespace

DataSummary summarize_data(const Examples& examples, std::size_t num_labels) {
  const auto rows = static_cast<double>(std::max<std::size_t>(1, examples.rows()));
  DataSummary summary;
  summary.rows = examples.rows();
  summary.labels = num_labels;
  summary.features =
      examples.are_dense() ? examples.dense.num_columns : examples.features.num_columns;
  summary.labels_per_row = static_cast<double>(examples.labels.items.size()) / rows;
  summary.features_per_row = examples.are_dense()
                                 ? static_cast<double>(examples.dense.num_columns)
                                 : static_cast<double>(examples.features.nonzeros()) / rows;
  const metrics::FrequencyBins bins(default_frequency_bounds());
  std::vector<std::uint64_t> labels(bins.size(), 0);
  for (const std::uint32_t count : count_labels(examples.labels, num_labels)) {
    ++labels[bins.bin_of(count)];
  }
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    if (labels[bin] > 0) summary.label_bins.push_back({bins.name(bin), labels[bin]});
  }
  return summary;
}

Chart solver_chart(const heads::CascadeTrace& trace, std::size_t num_levels) {
  Chart chart = {.title = "Training loss",
                 .note =
                     "What the solver had still to gain after each pass over the rows, in per "
                     "cent of its whole way. Below 1 it is done for all purposes; --sweeps "
                     "changes their number.",
                 .x_unit = "sweep",
                 .y_unit = "per cent to go",
                 .y_scale = Scale::kLogarithmic,
                 .curves = {}};
  for (std::size_t level = 0; level < std::min(num_levels, trace.objectives.size()); ++level) {
    const std::vector<double>& objectives = trace.objectives[level];
    if (objectives.empty() || objectives.back() <= 0) continue;
    const double last = objectives.back();
    Curve curve = {fmt::format("head {}", level + 1), {{0, 100}}};
    // The last one is the end of the way itself.
    for (std::size_t sweep = 0; sweep + 1 < objectives.size(); ++sweep) {
      const double to_go = per_cent(last - objectives[sweep], last);
      if (to_go <= 0) break;
      curve.points.push_back({static_cast<double>(sweep + 1), to_go});
    }
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

Chart trials_chart(std::span<const Trial> trials) {
  Chart chart = {.title = "Search for settings",
                 .note = "Each trial of --tune, and the best so far.",
                 .x_unit = "trial",
                 .y_unit = "nDCG@5, per cent",
                 .curves = {{"tried", {}}, {"kept", {}}}};
  double kept = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto number = static_cast<double>(i + 1);
    if (trials[i].kept) kept = trials[i].quality;
    chart.curves[0].points.push_back({number, trials[i].quality});
    chart.curves[1].points.push_back({number, kept});
  }
  return chart;
}

std::vector<Chart> epoch_charts(std::span<const std::vector<EpochReport>> members) {
  Chart loss = {.title = "Training loss",
                .note = "The mean over the rows of each epoch, before each row was trained on.",
                .x_unit = "epoch",
                .y_unit = "loss",
                .curves = {}};
  Chart quality = {.title = "Quality epoch by epoch",
                   .note = "On rows that were not trained on; --patience stops where it falls.",
                   .x_unit = "epoch",
                   .y_unit = "nDCG@5, per cent",
                   .curves = {}};
  for (std::size_t m = 0; m < members.size(); ++m) {
    const std::string name = members.size() == 1 ? "all rows" : fmt::format("member {}", m + 1);
    Curve losses = {name, {}};
    Curve qualities = {name, {}};
    for (std::size_t epoch = 0; epoch < members[m].size(); ++epoch) {
      const auto number = static_cast<double>(epoch + 1);
      losses.points.push_back({number, members[m][epoch].loss});
      if (members[m][epoch].quality) {
        qualities.points.push_back({number, *members[m][epoch].quality});
      }
    }
    loss.curves.push_back(std::move(losses));
    if (!qualities.points.empty()) quality.curves.push_back(std::move(qualities));
  }
  std::vector<Chart> charts = {std::move(loss)};
  if (!quality.curves.empty()) charts.push_back(std::move(quality));
  return charts;
}

RankedRows cross_calibrate(const ValidatedRows& rows, bool one_label) {
  constexpr std::size_t kFolds = 5;
  RankedRows calibrated = mark_hits(rows.ranked, rows.truth);
  const RankedRows hits = calibrated;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    RankedRows others;
    for (std::size_t row = 0; row < hits.rows(); ++row) {
      if (row % kFolds != fold) others.push_row(hits[row]);
    }
    const auto calibration = metrics::fit_row_calibration(others, one_label);
    for (std::size_t row = fold; row < hits.rows(); row += kFolds) {
      calibration.apply(std::span(calibrated.items).subspan(hits.offsets[row], hits[row].size()));
    }
  }
  return calibrated;
}

void measure_ranking(const Context& context, const ValidatedRows& rows,
                     const RankedRows& probabilities, const TrainingSet& set,
                     TrainingHistory& history) {
  history.validation_rows = rows.truth.rows();
  history.metrics = evaluate(context, rows.ranked, set, rows.truth);
  Reliability reliability;
  for (const metrics::ScoredHit& label : probabilities.items) {
    reliability.add(label.score, label.hit);
  }
  history.reliability = reliability.report();
  history.charts.push_back(cutoff_chart(*history.metrics));
  history.charts.push_back(threshold_chart(probabilities, rows.truth.items.size()));
}

void measure_cascades(const Context& context, std::span<const TrainedCascade> cascades,
                      const model::LinearMember& member, const FitData& data,
                      TrainingHistory& history) {
  const TrainedCascade& first = cascades.front();
  if (first.levels.size() > 1) {
    const SearchCharts charts(context, member, data.validation);
    history.charts.push_back(charts.powers());
    history.charts.push_back(charts.beams());
  }
  history.heads = measure_heads(context, first, data.validation);
  history.confusion = confuse_heads(context, first, data.validation, data.set.names,
                                    count_labels(data.set.examples.labels, data.set.names.size()));
}

}  // namespace mhe::train

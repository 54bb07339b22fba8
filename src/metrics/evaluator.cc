// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <mhe/metrics.h>

#include "base/check.h"
#include "base/parallel.h"
#include "metrics/bootstrap.h"
#include "metrics/label_counts.h"
#include "metrics/row_scorer.h"
#include "metrics/summary.h"

namespace mhe {

struct Evaluator::State {
  State(EvaluatorOptions options, TrainingLabels training)
      : scorer(std::move(options), std::move(training)),
        counts(scorer.layout().num_cutoffs),
        sums(scorer.num_groups() * scorer.layout().size(), 0.0) {}

  void fold(metrics::RowContributions& contributions);
  [[nodiscard]] std::vector<std::uint8_t> groups_of_places() const;
  [[nodiscard]] std::uint64_t true_labels_of(std::size_t group,
                                             std::span<const std::uint8_t> groups) const;

  metrics::RowScorer scorer;
  metrics::LabelPlaces places;
  metrics::LabelCounts counts;
  std::vector<double> sums;    // of each group, end to end
  metrics::StoredRows stored;  // with metrics::bootstrap only
  metrics::RowScorer::Scratch scratch;
  metrics::RowContributions one_row;
  MetricsReport report;  // the counts of rows; the rest is made when asked for
};

// Adds contributions in row order, so that sums do not depend on who computed what.
void Evaluator::State::fold(metrics::RowContributions& contributions) {
  const std::size_t layout_size = scorer.layout().size();
  for (std::size_t i = 0; i < contributions.groups.items.size(); ++i) {
    double* to = sums.data() + contributions.groups.items[i] * layout_size;
    const double* from = contributions.sums.data() + i * layout_size;
    for (std::size_t s = 0; s < layout_size; ++s) to[s] += from[s];
  }
  places.assign(contributions.events.items);
  counts.resize(places.labels().size());
  counts.add(contributions.events.items, 1);
  report.rows += contributions.events.rows();
  report.unlabeled_rows += contributions.unlabeled_rows;
  report.unpredicted_rows += contributions.unpredicted_rows;
  report.short_rows += contributions.short_rows;
  report.true_labels += contributions.true_labels;
  report.unseen_true_labels += contributions.unseen_true_labels;
  if (scorer.options().bootstrap_resamples > 0) stored.append(contributions);
}

std::vector<std::uint8_t> Evaluator::State::groups_of_places() const {
  std::vector<std::uint8_t> groups;
  groups.reserve(places.labels().size());
  for (const LabelId label : places.labels()) groups.push_back(scorer.group_of(label));
  return groups;
}

std::uint64_t Evaluator::State::true_labels_of(std::size_t group,
                                               std::span<const std::uint8_t> groups) const {
  std::uint64_t labels = 0;
  for (std::size_t place = 0; place < groups.size(); ++place) {
    if ((group == 0 || groups[place] == group) && counts.num_true(place) > 0) ++labels;
  }
  return labels;
}

TrainingLabels training_labels(std::function<std::uint64_t(LabelId)> count_of,
                               const PropensityCurve& propensity) {
  return {count_of, [count_of, propensity](LabelId label) { return propensity(count_of(label)); }};
}

TrainingLabels training_labels(std::vector<std::uint64_t> counts,
                               const PropensityCurve& propensity) {
  // shared: a std::function is copied
  const auto shared = std::make_shared<const std::vector<std::uint64_t>>(std::move(counts));
  return training_labels(
      [shared](LabelId label) {
        return index_of(label) < shared->size() ? (*shared)[index_of(label)] : 0;
      },
      propensity);
}

Evaluator::Evaluator(EvaluatorOptions options, TrainingLabels training)
    : state_(std::make_unique<State>(std::move(options), std::move(training))) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

void Evaluator::add(std::span<const LabelId> truth, std::span<const ScoredLabel> predictions) {
  state_->one_row = {};
  state_->scorer.score(state_->report.rows, truth, predictions, state_->scratch, state_->one_row);
  state_->fold(state_->one_row);
}

void Evaluator::add(const Context& context, const Ragged<LabelId>& truth,
                    const Ragged<ScoredLabel>& predictions) {
  require(truth.rows() == predictions.rows(), "{} rows of true labels, but {} of predictions",
          truth.rows(), predictions.rows());
  constexpr std::size_t kRowsPerBlock = 256;  // enough work to outweigh handing it to a thread
  const std::size_t num_rows = truth.rows();
  std::vector<metrics::RowContributions> blocks((num_rows + kRowsPerBlock - 1) / kRowsPerBlock);
  std::vector<metrics::RowScorer::Scratch> scratch(context.threads());
  parallel_blocks(context, num_rows, kRowsPerBlock, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row) {
      state_->scorer.score(state_->report.rows + row, truth[row], predictions[row],
                           scratch[block.worker], blocks[block.index]);
    }
  });
  for (metrics::RowContributions& block : blocks) state_->fold(block);
}

MetricsReport Evaluator::report(const Context& context) const {
  const State& state = *state_;
  MetricsReport report = state.report;
  report.names = metrics::value_names(state.scorer.options());
  const std::vector<std::uint8_t> groups = state.groups_of_places();
  const std::vector<double> values =
      metrics::summarize(state.scorer, state.sums, state.counts, groups);
  const std::vector<Interval> intervals =
      metrics::bootstrap(context, state.scorer, state.stored, groups, values);
  const std::size_t num_values = report.names.size();
  const metrics::SumLayout layout = state.scorer.layout();
  for (std::size_t g = 0; g < state.scorer.num_groups(); ++g) {
    const auto first = static_cast<std::ptrdiff_t>(g * num_values);
    const auto last = static_cast<std::ptrdiff_t>((g + 1) * num_values);
    GroupReport group = {
        .name = state.scorer.group_name(g),
        .rows = static_cast<std::uint64_t>(state.sums[g * layout.size() + layout.rows()]),
        .labels = state.true_labels_of(g, groups),
        .values = {values.begin() + first, values.begin() + last},
        .intervals = {}};
    if (!intervals.empty()) group.intervals = {intervals.begin() + first, intervals.begin() + last};
    if (g == 0) {
      report.overall = std::move(group);
    } else if (group.labels > 0) {
      report.bins.push_back(std::move(group));
    }
  }
  return report;
}

double MetricsReport::value(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  require(found != names.end(), "there is no metric \"{}\" in this report", name);
  return overall.values[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace mhe

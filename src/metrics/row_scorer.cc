// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics/row_scorer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/check.h"

namespace mhe::metrics {
namespace {

constexpr std::size_t kUnranked = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMaxCutoff = 1'000'000;  // tables of that many discounts are still small
constexpr std::size_t kMaxCutoffs = 1000;
constexpr std::size_t kMaxBins = 200;  // a group is a byte

EvaluatorOptions checked(EvaluatorOptions options) {
  std::vector<std::size_t>& cutoffs = options.cutoffs;
  std::sort(cutoffs.begin(), cutoffs.end());
  cutoffs.erase(std::unique(cutoffs.begin(), cutoffs.end()), cutoffs.end());
  require(!cutoffs.empty(), "expected at least one cutoff k, found none");
  require(cutoffs.size() <= kMaxCutoffs, "expected at most {} cutoffs k, found {}", kMaxCutoffs,
          cutoffs.size());
  require(cutoffs.front() >= 1 && cutoffs.back() <= kMaxCutoff,
          "expected cutoffs k from 1 to {}, found {}", kMaxCutoff,
          cutoffs.front() < 1 ? cutoffs.front() : cutoffs.back());
  require(!options.threshold || !std::isnan(*options.threshold),
          "expected a number as threshold, found NaN");
  require(options.frequency_bounds.size() < kMaxBins, "expected fewer than {} frequency bins",
          kMaxBins);
  return options;
}

bool ranks_before(const ScoredLabel& a, const ScoredLabel& b) noexcept {
  return a.score != b.score ? a.score > b.score : a.label < b.label;
}

}  // namespace

RowScorer::RowScorer(EvaluatorOptions options, TrainingLabels training)
    : options_(checked(std::move(options))),
      training_(std::move(training)),
      bins_(options_.frequency_bounds),
      ideal_dcg_{0.0} {
  for (std::size_t rank = 0; rank < options_.cutoffs.back(); ++rank) {
    discounts_.push_back(1.0 / std::log2(static_cast<double>(rank + 2)));
    ideal_dcg_.push_back(ideal_dcg_.back() + discounts_.back());
  }
}

void RowScorer::score(std::uint64_t row, std::span<const LabelId> truth,
                      std::span<const ScoredLabel> predictions, Scratch& scratch,
                      RowContributions& out) const {
  const bool ascending =
      std::adjacent_find(truth.begin(), truth.end(), std::greater_equal<>()) == truth.end();
  require(ascending, "row {}: expected true labels in ascending order, each once", row);
  rank(row, predictions, scratch);
  out.unpredicted_rows += predictions.empty() ? 1 : 0;
  out.short_rows += predictions.size() < options_.cutoffs.back() ? 1 : 0;
  out.true_labels += truth.size();
  out.unlabeled_rows += truth.empty() ? 1 : 0;
  const bool counts = !truth.empty() || options_.unlabeled_rows == UnlabeledRows::kZero;
  if (counts) {
    match(truth, predictions, scratch, out);
    add_group(0, scratch, out);
    for (std::size_t group = 1; group < num_groups(); ++group) {
      add_group(static_cast<std::uint8_t>(group), scratch, out);
    }
  }
  out.events.end_row();
  out.groups.end_row();
}

// Checks the predictions and leaves the best ones, as many as the largest cutoff, at the front.
void RowScorer::rank(std::uint64_t row, std::span<const ScoredLabel> predictions,
                     Scratch& scratch) const {
  scratch.ranked.assign(predictions.begin(), predictions.end());
  scratch.sorted_labels.clear();
  for (const ScoredLabel& prediction : predictions) {
    require(!std::isnan(prediction.score), "row {}: the score of label {} is not a number", row,
            index_of(prediction.label));
    scratch.sorted_labels.push_back(prediction.label);
  }
  std::sort(scratch.sorted_labels.begin(), scratch.sorted_labels.end());
  const auto twice = std::adjacent_find(scratch.sorted_labels.begin(), scratch.sorted_labels.end());
  if (twice != scratch.sorted_labels.end()) {
    fail(ErrorCode::kInvalidArgument, "row {}: label {} is predicted twice", row, index_of(*twice));
  }
  if (options_.ranking == Ranking::kAsGiven) return;
  const std::size_t sorted = std::min(options_.cutoffs.back(), scratch.ranked.size());
  std::partial_sort(scratch.ranked.begin(),
                    scratch.ranked.begin() + static_cast<std::ptrdiff_t>(sorted),
                    scratch.ranked.end(), ranks_before);
}

// Finds the rank of every true label and writes the row's events.
void RowScorer::match(std::span<const LabelId> truth, std::span<const ScoredLabel> predictions,
                      Scratch& scratch, RowContributions& out) const {
  const std::size_t first_event = out.events.items.size();
  scratch.true_labels.clear();
  const auto no_cutoff = static_cast<std::uint16_t>(options_.cutoffs.size());
  for (const LabelId label : truth) {
    scratch.true_labels.push_back({weight_of(label), kUnranked, group_of(label)});
    out.events.items.push_back({static_cast<std::uint32_t>(label), no_cutoff, true, false});
    out.unseen_true_labels += count_of(label) == 0 ? 1 : 0;
  }
  for (std::size_t rank = 0; rank < predictions.size(); ++rank) {
    const ScoredLabel& prediction = scratch.ranked[rank];
    const std::uint16_t cutoff = first_cutoff(rank);
    const bool above = above_threshold(prediction.score);
    if (cutoff == no_cutoff && !above) continue;
    const auto found = std::lower_bound(truth.begin(), truth.end(), prediction.label);
    if (found == truth.end() || *found != prediction.label) {
      out.events.items.push_back(
          {static_cast<std::uint32_t>(prediction.label), cutoff, false, above});
      continue;
    }
    const auto place = static_cast<std::size_t>(found - truth.begin());
    if (cutoff != no_cutoff) scratch.true_labels[place].rank = rank;
    LabelEvent& event = out.events.items[first_event + place];
    event.cutoff = cutoff;
    event.above_threshold = above;
  }
}

void RowScorer::add_group(std::uint8_t group, Scratch& scratch, RowContributions& out) const {
  scratch.members.clear();
  scratch.best_weights.clear();
  for (const Scratch::TrueLabel& label : scratch.true_labels) {
    if (group != 0 && label.group != group) continue;
    scratch.members.push_back(label);
    scratch.best_weights.push_back(label.weight);
  }
  if (scratch.members.empty() && group != 0) return;
  // Sums over labels run in the order of ranks, so that they are the same whatever the ids are.
  std::sort(scratch.members.begin(), scratch.members.end(),
            [](const auto& a, const auto& b) { return a.rank < b.rank; });
  std::sort(scratch.best_weights.begin(), scratch.best_weights.end(), std::greater<>());
  out.groups.items.push_back(group);
  const SumLayout places = layout();
  out.sums.resize(out.sums.size() + places.size(), 0.0);
  const std::span<double> sums = std::span(out.sums).last(places.size());
  sums[places.rows()] = 1;
  if (scratch.members.empty()) return;
  sums[places.accuracy()] = scratch.members.front().rank == 0 ? 1 : 0;
  for (std::size_t cutoff = 0; cutoff < options_.cutoffs.size(); ++cutoff) {
    add_cutoff(cutoff, scratch, sums);
  }
}

void RowScorer::add_cutoff(std::size_t cutoff, const Scratch& scratch,
                           std::span<double> sums) const {
  const std::size_t k = options_.cutoffs[cutoff];
  const std::size_t num_true = scratch.members.size();
  const std::size_t best_hits = std::min(k, num_true);
  double hits = 0;
  double dcg = 0;
  double weighted_hits = 0;
  double weighted_dcg = 0;
  for (const Scratch::TrueLabel& label : scratch.members) {
    if (label.rank >= k) break;
    hits += 1;
    dcg += discounts_[label.rank];
    weighted_hits += label.weight;
    weighted_dcg += label.weight * discounts_[label.rank];
  }
  double best_weighted_hits = 0;
  double best_weighted_dcg = 0;
  for (std::size_t rank = 0; rank < best_hits; ++rank) {
    best_weighted_hits += scratch.best_weights[rank];
    best_weighted_dcg += scratch.best_weights[rank] * discounts_[rank];
  }
  const SumLayout places = layout();
  sums[places.at(CutoffSum::kPrecision, cutoff)] = hits / static_cast<double>(k);
  sums[places.at(CutoffSum::kRecall, cutoff)] = hits / static_cast<double>(num_true);
  sums[places.at(CutoffSum::kRPrecision, cutoff)] = hits / static_cast<double>(best_hits);
  sums[places.at(CutoffSum::kNdcg, cutoff)] = dcg / ideal_dcg_[best_hits];
  sums[places.at(CutoffSum::kWeightedHits, cutoff)] = weighted_hits;
  sums[places.at(CutoffSum::kBestWeightedHits, cutoff)] = best_weighted_hits;
  sums[places.at(CutoffSum::kWeightedDcg, cutoff)] = weighted_dcg;
  sums[places.at(CutoffSum::kBestWeightedDcg, cutoff)] = best_weighted_dcg;
}

std::size_t RowScorer::num_groups() const noexcept {
  return options_.frequency_bounds.empty() ? 1 : 1 + bins_.size();
}

std::string RowScorer::group_name(std::size_t group) const {
  return group == 0 ? "all" : bins_.name(group - 1);
}

std::uint8_t RowScorer::group_of(LabelId label) const {
  if (options_.frequency_bounds.empty()) return 0;
  return static_cast<std::uint8_t>(1 + bins_.bin_of(count_of(label)));
}

std::uint64_t RowScorer::count_of(LabelId label) const {
  return training_.count_of ? training_.count_of(label) : 0;
}

double RowScorer::weight_of(LabelId label) const {
  if (!training_.propensity_of) return 1;
  const double propensity = training_.propensity_of(label);
  require(propensity > 0 && propensity <= 1, "expected propensities in (0, 1], found {}",
          propensity);
  return 1 / propensity;
}

bool RowScorer::above_threshold(float score) const noexcept {
  // As a float, so that a score printed like the threshold reaches it.
  return options_.threshold && score >= static_cast<float>(*options_.threshold);
}

std::uint16_t RowScorer::first_cutoff(std::size_t rank) const noexcept {
  const auto cutoff = std::upper_bound(options_.cutoffs.begin(), options_.cutoffs.end(), rank);
  return static_cast<std::uint16_t>(cutoff - options_.cutoffs.begin());
}

}  // namespace mhe::metrics

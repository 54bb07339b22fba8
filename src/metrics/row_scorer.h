// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What one row contributes to the metrics, in a form that only needs to be added up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/ids.h>
#include <mhe/input.h>
#include <mhe/metrics.h>

#include "metrics/frequency_bins.h"

namespace mhe::metrics {

/// Numbers a row contributes for each cutoff; means and ratios are made from their sums.
enum class CutoffSum : std::size_t {
  kPrecision,
  kRecall,
  kRPrecision,
  kNdcg,
  kWeightedHits,
  kBestWeightedHits,
  kWeightedDcg,
  kBestWeightedDcg,
};
inline constexpr std::size_t kCutoffSums = 8;

/// Where the sums of one group of labels lie in an array.
struct SumLayout {
  std::size_t num_cutoffs = 0;

  [[nodiscard]] std::size_t at(CutoffSum sum, std::size_t cutoff) const noexcept {
    return cutoff * kCutoffSums + static_cast<std::size_t>(sum);
  }
  [[nodiscard]] std::size_t accuracy() const noexcept { return num_cutoffs * kCutoffSums; }
  [[nodiscard]] std::size_t rows() const noexcept { return accuracy() + 1; }
  [[nodiscard]] std::size_t size() const noexcept { return rows() + 1; }
};

/// A label of a row that is true, or predicted where it matters, or both.
struct LabelEvent {
  std::uint32_t label = 0;   ///< a LabelId, until LabelCounts gives it a place of its own
  std::uint16_t cutoff = 0;  ///< the first cutoff it is ranked within; their number if none
  bool is_true = false;
  bool above_threshold = false;
};

/// What some rows contribute.
struct RowContributions {
  Ragged<LabelEvent> events;    ///< of each row
  Ragged<std::uint8_t> groups;  ///< of each row: 0 for all labels, 1 + bin for a bin
  std::vector<double> sums;     ///< for each entry of groups.items the sums of that group
  std::uint64_t unlabeled_rows = 0;
  std::uint64_t unpredicted_rows = 0;
  std::uint64_t short_rows = 0;
  std::uint64_t true_labels = 0;
  std::uint64_t unseen_true_labels = 0;
};

/// Scores row by row. Immutable, so that threads share it; Scratch is a thread's own.
class RowScorer {
 public:
  RowScorer(EvaluatorOptions options, TrainingLabels training);

  /// Buffers that outlive a row.
  struct Scratch {
    struct TrueLabel {
      double weight = 0;       // 1 / propensity
      std::size_t rank = 0;    // from 0; kUnranked if not within the largest cutoff
      std::uint8_t group = 0;  // 1 + bin
    };
    std::vector<ScoredLabel> ranked;
    std::vector<LabelId> sorted_labels;
    std::vector<TrueLabel> true_labels;
    std::vector<TrueLabel> members;  // of one group
    std::vector<double> best_weights;
  };

  /// Appends the contributions of a row. Throws kInvalidArgument, naming `row`.
  void score(std::uint64_t row, std::span<const LabelId> truth,
             std::span<const ScoredLabel> predictions, Scratch& scratch,
             RowContributions& out) const;

  [[nodiscard]] const EvaluatorOptions& options() const noexcept { return options_; }
  [[nodiscard]] SumLayout layout() const noexcept { return {options_.cutoffs.size()}; }
  /// All labels, then the bins.
  [[nodiscard]] std::size_t num_groups() const noexcept;
  [[nodiscard]] std::string group_name(std::size_t group) const;
  /// 1 + the bin of the label; 0 without bins.
  [[nodiscard]] std::uint8_t group_of(LabelId label) const;

 private:
  void rank(std::uint64_t row, std::span<const ScoredLabel> predictions, Scratch& scratch) const;
  void match(std::span<const LabelId> truth, std::span<const ScoredLabel> predictions,
             Scratch& scratch, RowContributions& out) const;
  void add_group(std::uint8_t group, Scratch& scratch, RowContributions& out) const;
  void add_cutoff(std::size_t cutoff, const Scratch& scratch, std::span<double> sums) const;
  [[nodiscard]] std::uint64_t count_of(LabelId label) const;
  [[nodiscard]] double weight_of(LabelId label) const;
  [[nodiscard]] bool above_threshold(float score) const noexcept;
  [[nodiscard]] std::uint16_t first_cutoff(std::size_t rank) const noexcept;

  EvaluatorOptions options_;  // cutoffs ascending, each once
  TrainingLabels training_;
  FrequencyBins bins_;
  std::vector<double> discounts_;  // of each rank
  std::vector<double> ideal_dcg_;  // of n true labels, at n
};

}  // namespace mhe::metrics

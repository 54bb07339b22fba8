// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Scores ranked predictions against true labels. docs/metrics.md defines every metric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <mhe/context.h>
#include <mhe/ids.h>
#include <mhe/input.h>
#include <mhe/label_space.h>

#include "metrics/report.h"

namespace mhe::metrics {

/// A predicted label; double, so that scores that differ in a text file do not become equal.
struct ScoredLabel {
  LabelId label = {};
  double score = 0;

  friend bool operator==(const ScoredLabel&, const ScoredLabel&) = default;
};

/// What rows without a true label count for.
enum class UnlabeledRows {
  kZero,  ///< they score 0 and their predictions are wrong, as in the field's usual evaluators
  kSkip,  ///< they are left out
};

/// What puts the labels of a row in order.
enum class Ranking {
  kByScore,  ///< higher scores first, equal ones by smaller id
  kAsGiven,  ///< best first already; scores matter for the threshold only
};

struct EvaluatorOptions {
  std::vector<std::size_t> cutoffs = {1, 3, 5};  ///< every k of P@k and so on; any order, >= 1
  std::optional<double> threshold = {};          ///< also F1 of the labels that score at least this
  UnlabeledRows unlabeled_rows = UnlabeledRows::kZero;
  Ranking ranking = Ranking::kByScore;
  std::vector<std::uint64_t> frequency_bounds = {};  ///< of FrequencyBins; empty: no bins
  std::uint64_t bootstrap_resamples = 0;             ///< 0: no confidence intervals
};

/// What is known of the labels from the training data: asked for one by one, of many threads at
/// once, so that nothing has to hold a number for every label there could be.
struct TrainingLabels {
  std::function<std::uint64_t(LabelId)> count_of = {};  ///< training rows; none: 0 for all labels
  std::function<double(LabelId)> propensity_of = {};    ///< in (0, 1]; none: 1 for all labels
};

/// With propensities by the counts.
[[nodiscard]] TrainingLabels training_labels(std::function<std::uint64_t(LabelId)> count_of,
                                             const PropensityCurve& propensity);
/// Of labels with these counts; those beyond them were never seen.
[[nodiscard]] TrainingLabels training_labels(std::vector<std::uint64_t> counts,
                                             const PropensityCurve& propensity);

/// Takes predictions batch by batch and reports all metrics at the end.
///
/// Memory: some 8 k + 60 bytes for each label that occurs (k cutoffs), whatever its id; with
/// bootstrap also for each row 32 k + 8 bytes, as much again for every frequency
/// bin that its true labels fall into, and 8 bytes for each true and each ranked label. Results do
/// not depend on the number of threads nor on how rows are cut into batches.
class Evaluator {
 public:
  /// Throws kInvalidArgument for cutoffs of 0 and so on.
  Evaluator(EvaluatorOptions options, TrainingLabels training);
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;

  /// Adds a row: its true labels, ascending and each once, and its predictions, each label once.
  /// Throws kInvalidArgument, naming the row, if that or a score is not so (NaN), or for a
  /// propensity outside (0, 1]; the evaluator must not be used after that.
  void add(std::span<const LabelId> truth, std::span<const ScoredLabel> predictions);

  /// Adds many rows, on all threads.
  void add(const Context& context, const Ragged<LabelId>& truth,
           const Ragged<ScoredLabel>& predictions);

  /// All metrics of the rows so far. Resampling uses the threads and the seed of the context.
  [[nodiscard]] Report report(const Context& context) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mhe::metrics

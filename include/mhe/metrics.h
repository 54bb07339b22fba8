// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Evaluation of predictions: ranked labels scored against the true ones, and whether probabilities
// mean what they say. docs/metrics.md defines every metric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>
#include <mhe/ids.h>
#include <mhe/input.h>
#include <mhe/label_space.h>

namespace mhe {

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
  std::vector<std::uint64_t> frequency_bounds = {};  ///< bins of labels; empty: no bins
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

/// Bounds of bins of labels by training rows: never seen, then up to 5, 20, 100 and 1000, more.
[[nodiscard]] std::vector<std::uint64_t> default_frequency_bounds();

/// A 95 % confidence interval.
struct Interval {
  double low = 0;
  double high = 0;
};

/// The metrics of all labels, or of those of one frequency bin.
struct GroupReport {
  std::string name;          ///< "all" or the bin's, such as "1-5"
  std::uint64_t rows = 0;    ///< that the means run over
  std::uint64_t labels = 0;  ///< distinct true labels
  std::vector<double>
      values;  ///< shares in [0, 1], in the order of MetricsReport::names; NaN: undefined
  std::vector<Interval> intervals;  ///< one for each value, or none at all
};

/// What an Evaluator found.
struct MetricsReport {
  std::vector<std::string> names;  ///< "P@1", ..., "accuracy": what the values of a group are
  GroupReport overall;
  std::vector<GroupReport> bins;  ///< those that hold a true label, rarest first

  std::uint64_t rows = 0;              ///< all that were added
  std::uint64_t unlabeled_rows = 0;    ///< without true labels
  std::uint64_t unpredicted_rows = 0;  ///< without predictions
  std::uint64_t short_rows = 0;        ///< with fewer predictions than the largest cutoff, or none
  std::uint64_t true_labels = 0;       ///< (row, label) pairs
  std::uint64_t unseen_true_labels = 0;  ///< those of them whose label does not occur in training

  /// The value called `name` of the group over all labels. Throws kInvalidArgument.
  [[nodiscard]] double value(std::string_view name) const;
};

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
  [[nodiscard]] MetricsReport report(const Context& context) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How good predicted sets of labels are. What is undefined, 0/0, is NaN.
struct SetReport {
  std::uint64_t rows = 0;
  double accuracy = 0;   ///< rows whose set is right, label for label
  double precision = 0;  ///< labels of predicted sets that are true, of all rows together
  double recall = 0;     ///< true labels that are in the predicted sets
  double f1 = 0;         ///< their harmonic mean
};

/// Counts predicted sets of labels against the true ones. A row without labels has the empty set.
class SetEvaluator {
 public:
  /// Adds a row: its true labels, ascending, and the predicted set in any order, each label once.
  /// Throws kInvalidArgument if that is not so.
  void add(std::span<const LabelId> truth, std::span<const LabelId> predicted);
  [[nodiscard]] SetReport report() const;

 private:
  std::uint64_t rows_ = 0;
  std::uint64_t exact_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t true_labels_ = 0;
  std::uint64_t predicted_labels_ = 0;
  std::vector<LabelId> sorted_;  // scratch
};

/// Reads anybody's predictions from front to back, parsed on all threads: "label:score label:score
/// ..." a line, or a JSON object a line; docs/metrics.md describes both. Labels that `names` does
/// not know are added to it, in order of appearance. Memory: 2 MiB of text per thread and what was
/// parsed from it, more only for longer lines.
class PredictionReader {
 public:
  /// Opens a file, compressed or not; "-" is standard input. `context` and `names` must outlive the
  /// reader. Throws kNotFound or kIo.
  PredictionReader(const Context& context, const std::string& path, LabelNames& names);
  ~PredictionReader();
  PredictionReader(const PredictionReader&) = delete;
  PredictionReader& operator=(const PredictionReader&) = delete;

  /// Replaces `rows` by the next ones; false at the end. Scores are numbers and no label occurs
  /// twice in a row. Throws kInvalidData with file, line, what was expected and what was found.
  [[nodiscard]] bool next(Ragged<ScoredLabel>& rows);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The predictions whose probability lies in one interval.
struct ReliabilityBin {
  double low = 0;  ///< the interval is [low, high), the last one includes 1
  double high = 0;
  std::uint64_t count = 0;
  std::uint64_t hits = 0;
  double mean_probability = 0;  ///< NaN if count is 0, as hit_rate
  double hit_rate = 0;
};

/// Predicted against observed.
struct ReliabilityReport {
  std::uint64_t count = 0;
  std::uint64_t hits = 0;
  double expected_error = 0;  ///< mean |hit_rate - mean_probability| of the bins, by count
  double maximum_error = 0;   ///< the largest of those of the bins with at least kMinCount
  double brier = 0;           ///< mean squared difference of probability and truth
  std::vector<ReliabilityBin> bins;

  /// Below this a bin's hit rate is mostly chance: its standard error is up to 0.05.
  static constexpr std::uint64_t kMinCount = 100;
};

/// Counts predictions in bins of equal width. What is undefined without predictions is NaN.
class Reliability {
 public:
  /// Tenths, so that a bin reads as "between 0.7 and 0.8". Throws kInvalidArgument for 0 bins.
  explicit Reliability(std::size_t num_bins = 10);

  /// Adds a predicted label. Throws kInvalidArgument unless the probability lies in [0, 1].
  void add(double probability, bool hit);

  [[nodiscard]] ReliabilityReport report() const;

 private:
  struct Sums {
    std::uint64_t count = 0;
    std::uint64_t hits = 0;
    double probability = 0;
  };
  std::vector<Sums> bins_;
  double squared_error_ = 0;
};

}  // namespace mhe

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/weigh_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "train/linear_rules.h"
#include "train/quick_trials.h"
#include "train/validation.h"

namespace mhe::train {
namespace {

constexpr std::string_view kNone = "none";

// What the columns of a matrix are like.
struct Columns {
  std::size_t rows = 0;
  std::vector<std::uint32_t> counts;  // of entries that are not 0
  std::vector<double> squares;        // their sum

  [[nodiscard]] double idf(std::size_t column) const {
    return std::log((1.0 + static_cast<double>(rows)) / (1.0 + counts[column])) + 1;
  }
  [[nodiscard]] double size(std::size_t column) const {  // root of the mean square
    return std::sqrt(squares[column] / counts[column]);
  }
};

Columns look_at(const SparseMatrix& features) {
  Columns columns = {features.rows(), std::vector<std::uint32_t>(features.num_columns, 0),
                     std::vector<double>(features.num_columns, 0)};
  for (std::size_t i = 0; i < features.columns.size(); ++i) {
    const double value = features.values[i];
    if (value == 0) continue;
    ++columns.counts[features.columns[i]];
    columns.squares[features.columns[i]] += value * value;
  }
  return columns;
}

// What each row was multiplied by when it was brought to length 1, up to a common factor: a column
// of large numbers makes the others of its rows small. Logarithms of values are taken for sums of
// one number of their row and one of their column, which means of what the other leaves find.
std::vector<double> row_scales(const SparseMatrix& features) {
  constexpr int kRounds = 10;
  std::vector<double> of_row(features.rows(), 0);
  std::vector<double> of_column(features.num_columns, 0);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> sums(features.num_columns, 0);
    std::vector<std::uint32_t> counts(features.num_columns, 0);
    for (std::size_t row = 0; row < features.rows(); ++row) {
      const SparseRow entries = features[row];
      double sum = 0;
      std::size_t count = 0;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries.values[i] == 0) continue;
        sum += std::log(std::fabs(entries.values[i])) - of_column[entries.columns[i]];
        ++count;
      }
      if (count > 0) of_row[row] = sum / static_cast<double>(count);
      for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries.values[i] == 0) continue;
        sums[entries.columns[i]] += std::log(std::fabs(entries.values[i])) - of_row[row];
        ++counts[entries.columns[i]];
      }
    }
    for (std::size_t column = 0; column < of_column.size(); ++column) {
      if (counts[column] > 0) of_column[column] = sums[column] / counts[column];
    }
  }
  for (double& scale : of_row) scale = std::exp(scale);
  return of_row;
}

// The root of the mean square of each column, had rows not been brought to length 1.
std::vector<double> column_sizes(const SparseMatrix& features, const Columns& columns, bool roots) {
  const std::vector<double> scales = row_scales(features);
  std::vector<double> squares(features.num_columns, 0);
  for (std::size_t row = 0; row < features.rows(); ++row) {
    const SparseRow entries = features[row];
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const double size = std::fabs(entries.values[i]) / scales[row];
      squares[entries.columns[i]] += roots ? size : size * size;
    }
  }
  for (std::size_t column = 0; column < squares.size(); ++column) {
    squares[column] = std::sqrt(squares[column] / columns.counts[column]);
  }
  return squares;
}

// Rows to try weightings on, with no labels but those that occur in them: trials on some rows must
// not take time for a million labels.
struct Sample {
  Examples rows;
  bool are_all = false;
  std::size_t num_labels = 0;
};

Sample take_sample(const Examples& examples, std::size_t num_labels, std::uint64_t seed) {
  constexpr auto kNew = std::numeric_limits<std::uint32_t>::max();
  const std::size_t count = QuickTrials::sample_rows(examples);
  Sample sample = {copy_rows(examples, choose_rows(examples.rows(), count, seed + 1)),
                   count == examples.rows()};
  std::vector<std::uint32_t> renumbered(num_labels, kNew);
  for (LabelId& label : sample.rows.labels.items) {
    std::uint32_t& number = renumbered[index_of(label)];
    if (number == kNew) number = static_cast<std::uint32_t>(sample.num_labels++);
    label = LabelId{number};
  }
  return sample;
}

// The weighting under which rows that were not trained on are ranked best.
class WeightSearch {
 public:
  WeightSearch(const Context& context, const Sample& sample, const TrainOptions& options)
      : context_(context), sample_(sample), options_(options), best_(kNone) {}

  std::string_view run() {
    best_gains_ = gains_with(kNone);
    // Values as they are must be clearly worse to be left.
    keep_if_better("idf", kSure);
    keep_if_better("scaled", best_ == kNone ? kSure : 1);
    if (best_ == kNone) return best_;
    // What needs weights is most often counts, of which roots are the better features: a sample
    // sees less of that than all rows do.
    const std::string_view roots = best_ == "idf" ? "root-idf" : "root-scaled";
    return is_better(best_gains_, gains_with(roots)) ? best_ : roots;
  }

 private:
  static constexpr double kSure = 2;  // standard errors

  Gains gains_with(std::string_view name) {
    Examples rows = sample_.rows;
    apply_weights(make_feature_weights(rows.features, name).view(), rows.features);
    TrainOptions complete = resolve_linear(options_, rows.features, sample_.num_labels);
    complete.candidates = 0;  // they help all weightings alike, and take most of the time
    return QuickTrials(context_, rows, {sample_.num_labels}, "choosing weights of features",
                       sample_.are_all ? kMostValidationRows : kMostValidationRows / 2)
        .gains_with(complete);
  }

  void keep_if_better(std::string_view name, double standard_errors) {
    Gains gains = gains_with(name);
    if (!is_better(gains, best_gains_, standard_errors)) return;
    best_gains_ = std::move(gains);
    best_ = name;
  }

  const Context& context_;
  const Sample& sample_;
  const TrainOptions& options_;
  std::string_view best_;
  Gains best_gains_;
};

std::string choose_feature_weights(const Context& context, const TrainingSet& set,
                                   const TrainOptions& options) {
  if (set.examples.rows() < kFewestRows || is_weighted_by_rarity(set.examples.features)) {
    return std::string(kNone);
  }
  const Sample sample = take_sample(set.examples, set.names.size(), context.seed());
  if (sample.rows.rows() < kFewestRows || sample.num_labels < 2) return std::string(kNone);
  return std::string(WeightSearch(context, sample, options).run());
}

}  // namespace

void check_feature_weights(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {"auto",   kNone,      "idf",
                                                      "scaled", "root-idf", "root-scaled"};
  require(std::find(kNames.begin(), kNames.end(), name) != kNames.end(),
          "feature weights \"{}\"; expected auto, none, idf, scaled, root-idf or root-scaled",
          name);
}

FeatureWeights make_feature_weights(const SparseMatrix& features, std::string_view name) {
  if (name == kNone) return {};
  FeatureWeights weights;
  weights.roots = name.starts_with("root-");
  const bool scaled = name.ends_with("scaled");
  const Columns columns = look_at(features);
  const std::vector<double> sizes =
      scaled ? column_sizes(features, columns, weights.roots) : std::vector<double>();
  weights.columns.resize(features.num_columns, 0.0F);  // what no row has tells nothing
  for (std::size_t column = 0; column < features.num_columns; ++column) {
    if (columns.counts[column] == 0) continue;
    weights.columns[column] =
        static_cast<float>(columns.idf(column) / (scaled ? sizes[column] : 1.0));
  }
  return weights;
}

bool is_weighted_by_rarity(const SparseMatrix& features) {
  constexpr std::uint32_t kSeldom = 3;  // columns of fewer entries tell little of their size
  // TF-IDF of EURLEX57K, deb-dep and a part of the first made apart: 0.60, 0.87, 0.79. Counts, bits
  // and numbers of any scale: -0.64 to 0.
  constexpr double kCorrelation = 0.3;
  const Columns columns = look_at(features);
  double weight = 0;
  double x_sum = 0;
  double y_sum = 0;
  double xx_sum = 0;
  double yy_sum = 0;
  double xy_sum = 0;
  for (std::size_t column = 0; column < features.num_columns; ++column) {
    const auto count = static_cast<double>(columns.counts[column]);
    if (columns.counts[column] < kSeldom) continue;
    const double x = std::log(columns.idf(column));
    const double y = std::log(columns.size(column));
    weight += count;
    x_sum += count * x;
    y_sum += count * y;
    xx_sum += count * x * x;
    yy_sum += count * y * y;
    xy_sum += count * x * y;
  }
  const double xx = weight * xx_sum - x_sum * x_sum;
  const double yy = weight * yy_sum - y_sum * y_sum;
  const double xy = weight * xy_sum - x_sum * y_sum;
  // What rounding leaves of columns that are all alike is no correlation.
  const double least = 1e-9 * weight * weight;
  return xx > least && yy > least && xy > kCorrelation * std::sqrt(xx * yy);
}

std::string weigh_features(const Context& context, TrainingSet& set, const TrainOptions& options) {
  std::string name = options.feature_weights;
  if (set.vectorizer || set.examples.are_dense()) {
    require(name == "auto" || name == kNone,
            "feature weights \"{}\" are for sparse vectors; the data is {}", name,
            set.vectorizer ? "text" : "dense vectors");
    return std::string(kNone);
  }
  if (name == "auto") name = choose_feature_weights(context, set, options);
  set.feature_weights = make_feature_weights(set.examples.features, name);
  apply_weights(set.feature_weights.view(), set.examples.features);
  return name;
}

}  // namespace mhe::train

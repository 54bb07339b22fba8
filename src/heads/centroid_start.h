// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Init of heads from the examples instead of at random.
#pragma once

#include <cstddef>
#include <vector>

#include <mhe/context.h>

#include "heads/dense_head.h"
#include "heads/row_table.h"
#include "matrix/view.h"

namespace mhe::heads {

/// What becomes of the rows.
enum class StartRows {
  kCentroids,  ///< directions of their examples, projected where they see projections
  kAsTheyAre,  ///< only biases change, for which no features are needed
};

/// Sums the features of all examples up in the rows of their labels, which needs no memory beside
/// the head's; then makes directions of the sums. An output of product heads is a row for all
/// labels of its digit, and for each set of a powerset's.
class CentroidStart {
 public:
  /// The head must outlive it.
  explicit CentroidStart(DenseHead& head, StartRows rows = StartRows::kCentroids)
      : head_(head), rows_(rows), sum_(head.spec().dim) {}

  /// Adds a batch. The same sums for any number of threads.
  void add(const Context& context, const HeadBatch& batch);
  /// After all batches: what examples have in common is taken from the rows, since it tells no
  /// label from another; their length becomes such that the scores of labels begin apart. Rows
  /// without examples are 0. Biases say how many of the examples that train a row are true.
  void finish(const Context& context);

 private:
  // A table that was met, the share of all examples that train a row of it, how many rows make up
  // a score, and what its rows see.
  struct Met {
    RowTable* table;
    double trained;
    double parts;
    MatrixView projection;
  };
  // What all examples have in common, and how long rows become.
  struct Common {
    std::vector<double> direction;
    double length = 0;
  };
  [[nodiscard]] Common find_common() const;
  [[nodiscard]] static Common project(const Common& common, const MatrixView& projection);
  static void direct_rows(const Context& context, const Common& common, const Met& met);
  // Biases that have counted true examples become logarithms of their share.
  void settle_biases(const Met& met) const;

  static void add_features(const Context& context, const DenseHead::TruePlaces& places,
                           const MatrixView& features);
  [[nodiscard]] MatrixView project(const Context& context, const MatrixView& features,
                                   const MatrixView& projection);
  void add_to_common(const MatrixView& features);

  DenseHead& head_;
  StartRows rows_;
  std::vector<Met> tables_;
  std::vector<double> sum_;  // of the features
  double sum_squares_ = 0;
  std::vector<float> projected_;  // features of a batch
  std::size_t count_ = 0;
};

}  // namespace mhe::heads

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <mhe/context.h>
#include <mhe/ids.h>

#include "matrix/ragged.h"
#include "matrix/sparse.h"

namespace mhe::labels {

struct CentroidOptions {
  std::size_t num_labels = 0;
  std::size_t max_terms = 0;  ///< keep the so many largest entries of a centroid; 0: all
};

/// A row a label: the sum of the rows of its examples, scaled to unit length; empty for labels
/// without examples. Throws kInvalidArgument if rows or labels do not match.
///
/// Memory beside the result, which max_terms bounds: at most 16 bytes a feature for each thread, 8
/// bytes a label of an example, 16 a label, and an eighth of the result while its parts are joined.
/// The same for any number of threads.
[[nodiscard]] SparseMatrix label_centroids(const Context& context, const SparseMatrix& features,
                                           const Ragged<LabelId>& labels,
                                           const CentroidOptions& options);

/// Rows that are not sparse to begin with: `fill(row, values)` writes all `num_columns` of a row;
/// it may be called from several threads, and more than once for a row.
struct FilledRows {
  std::size_t num_rows = 0;
  std::size_t num_columns = 0;
  std::function<void(std::size_t row, std::span<float> values)> fill;
};

/// The same of such rows, without ever holding more than one a thread.
[[nodiscard]] SparseMatrix label_centroids(const Context& context, const FilledRows& features,
                                           const Ragged<LabelId>& labels,
                                           const CentroidOptions& options);

}  // namespace mhe::labels

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <mhe/label_space.h>

namespace mhe::labels {

/// Rows that are not sparse to begin with: `fill(row, values)` writes all `num_columns` of a row;
/// it may be called from several threads, and more than once for a row.
struct FilledRows {
  std::size_t num_rows = 0;
  std::size_t num_columns = 0;
  std::function<void(std::size_t row, std::span<float> values)> fill;
};

/// mhe::label_centroids() of such rows, without ever holding more than one a thread.
[[nodiscard]] SparseMatrix label_centroids(const Context& context, const FilledRows& features,
                                           const Ragged<LabelId>& labels,
                                           const CentroidOptions& options);

}  // namespace mhe::labels

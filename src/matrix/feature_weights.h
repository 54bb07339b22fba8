// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How much the values of sparse rows count: word counts and measurements in units of their own make
// poor features as they are.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "matrix/normalize.h"

namespace mhe {

/// A weight for each column. Where rows come from elsewhere, columns beyond have none.
struct FeatureWeightsView {
  std::span<const float> columns;  ///< none: values count as they are
  bool roots = false;              ///< the square root of a value counts, with its sign

  [[nodiscard]] bool change_nothing() const noexcept { return columns.empty(); }

  /// Weighs a row of length 1, which again has length 1 then. What has no weight becomes 0.
  void apply(std::span<const std::uint32_t> row_columns, std::span<float> values) const noexcept {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float weight = row_columns[i] < columns.size() ? columns[row_columns[i]] : 0.0F;
      const float size = std::fabs(values[i]);
      const float weighed = weight * std::copysign(roots ? std::sqrt(size) : size, values[i]);
      values[i] = std::isfinite(weighed) ? weighed : 0.0F;  // weights come from a file
    }
    normalize_l2(values);
  }
};

/// The same with storage of its own.
struct FeatureWeights {
  std::vector<float> columns;
  bool roots = false;

  [[nodiscard]] FeatureWeightsView view() const noexcept { return {columns, roots}; }
};

}  // namespace mhe

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/context.h>
#include <mhe/input.h>

namespace mhe::encoders {

/// The sparse inputs of a batch by feature: who uses a row of a table, so that the row is read and
/// moved once for all of them.
class FeatureBatch {
 public:
  /// Features of a range of ids, ascending, and the examples that have them, ascending too. Those
  /// of feature i are [begins[i], begins[i + 1]).
  struct Part {
    std::vector<std::uint32_t> features;
    std::vector<std::uint32_t> begins;
    std::vector<std::uint32_t> examples;
    std::vector<float> values;
    std::vector<std::uint32_t> cuts;  ///< of each input: where the range begins and ends in it
  };

  explicit FeatureBatch(std::size_t num_features) : places_(num_features) {}

  /// Columns must be below the number of features.
  void assign(const Context& context, std::span<const SparseRow> inputs);

  /// Their ranges ascend. How features are shared out to parts means nothing.
  [[nodiscard]] std::span<const Part> parts() const noexcept { return parts_; }

  /// Frees the parts; assign() makes them anew, with the ranges of its batch.
  void release_scratch() {
    parts_ = std::vector<Part>();
    ends_ = std::vector<std::uint32_t>();
  }

 private:
  void cut_ranges(std::span<const SparseRow> inputs);
  void fill_part(std::span<const SparseRow> inputs, std::size_t index);

  std::vector<std::uint32_t>
      places_;                       // [feature]: its examples, then where the next one goes; or 0
  std::vector<std::uint32_t> ends_;  // [part]: of its range of features
  std::vector<Part> parts_;
};

}  // namespace mhe::encoders

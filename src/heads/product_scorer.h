// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heads/find_tensor.h"
#include "heads/product_outputs.h"

namespace mhe::heads {

/// The probabilities that product heads give to their digits. Holds the scratch space; one for each
/// thread.
class ProductScorer {
 public:
  /// Throws kInvalidData if "table" or "bias" are missing or not of the size the spec asks for.
  ProductScorer(const HeadSpec& spec, const FindTensor& find);

  [[nodiscard]] const ProductLayout& layout() const noexcept { return layout_; }

  /// Scores an example. Throws kInvalidArgument unless it has spec.dim features.
  void score(std::span<const float> features);

  /// Of the last example: each head sums to 1. [group][head][digit]
  [[nodiscard]] std::span<const float> probabilities() const {
    return std::span(outputs_).first(layout_.rank() * layout_.group_size());
  }
  [[nodiscard]] std::span<const float> probabilities(std::size_t group) const {
    return layout_.group(std::span<const float>(outputs_), group);
  }
  /// One a group; none if there is one group.
  [[nodiscard]] std::span<const float> gates() const {
    return layout_.gates(std::span<const float>(outputs_));
  }
  [[nodiscard]] double gate(std::size_t group) const {
    return layout_.rank() == 1 ? 1.0 : static_cast<double>(gates()[group]);
  }
  /// Adding this to the log of a product of probabilities gives that of the sigmoids behind them.
  [[nodiscard]] double log_scale() const noexcept { return log_scale_; }
  /// Each head's best digit, summed over the groups.
  [[nodiscard]] std::span<const std::uint32_t> best_digits();

 private:
  ProductLayout layout_;
  SearchTable table_;
  std::vector<float> outputs_;
  double log_scale_ = 0;
  std::vector<std::uint32_t> best_digits_;
};

}  // namespace mhe::heads

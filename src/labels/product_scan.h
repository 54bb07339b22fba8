// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/label_space.h>

namespace mhe::labels {

/// The k best labels of p(y) = sum_g gate_g * prod_h p_g^h(y_h) by looking at all labels: for
/// distributions so flat that the best of each group say little about the best of the sum.
///
/// Digits go from the first head to the last, and what cannot lead to one of the k best is left
/// out. At worst, that is with noise for probabilities, C * G products; memory for k labels.
/// Equal probabilities by the smaller label. Holds scratch space and results; one object serves one
/// thread.
class ProductScan {
 public:
  /// The labels of the space must have numbers.
  ProductScan(LabelSpace space, std::size_t rank);

  struct Found {
    double probability;
    std::uint64_t label;
  };
  /// Best first; valid until the next call. `least`: k labels are known to have as much.
  [[nodiscard]] std::span<const Found> run(std::span<const float> probabilities,
                                           std::span<const float> gates, std::size_t k,
                                           double least);

 private:
  [[nodiscard]] bool may_enter(double probability) const noexcept;
  [[nodiscard]] const float* head(std::size_t group, std::size_t head) const noexcept;
  [[nodiscard]] double bound(std::size_t num_heads) const noexcept;
  void extend(std::size_t head, std::uint64_t prefix);
  void scan_last(std::uint64_t prefix);
  void offer(const Found& item);

  LabelSpace space_;
  std::size_t rank_;
  std::size_t group_size_ = 0;
  std::vector<std::size_t> head_begin_;   // [head] in a group
  std::vector<std::uint64_t> strides_;    // [head]: labels that share its digit and those before
  std::span<const float> probabilities_;  // of the call in progress
  std::vector<double> most_;              // [head][group]: its greatest probability
  std::vector<double> products_;          // [head][group]: of the digits before it, with the gate
  std::vector<double> sums_;              // of a block of labels
  std::size_t k_ = 0;
  double least_ = 0;
  std::vector<Found> best_;  // a heap with the worst in front
};

}  // namespace mhe::labels

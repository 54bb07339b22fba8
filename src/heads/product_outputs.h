// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The outputs of product heads, and what they mean.
//
// G groups of H heads give p(y) = sum_g gate_g * prod_h p_g^h(y_h), where p_g^h is the softmax of
// the n_h outputs of a head and the gates are the softmax of G outputs more. With G = 1 the gate is
// 1 and this is MHP; with more it is Eq. 16 with outputs that are probabilities, a CP decomposition
// of rank G that sums to 1 over all digits by itself. (Eq. 16 as printed multiplies raw outputs and
// takes a softmax over all labels: that costs C a step, and Theorem 1 does not hold for it.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heads/head_spec.h"

namespace mhe::heads {

/// Where the outputs lie: the heads of the first group one after another, those of the second, and
/// so on, then the gates if there are several groups.
class ProductLayout {
 public:
  /// Throws kInvalidArgument for a rank that is not 1 to kMaxRank and for sigmoids of several
  /// groups, which have no sum that is a probability; kResourceLimit for more outputs than can be
  /// counted.
  explicit ProductLayout(const HeadSpec& spec);

  [[nodiscard]] std::size_t num_heads() const noexcept { return begins_.size() - 1; }
  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] Loss loss() const noexcept { return loss_; }
  /// Of one group.
  [[nodiscard]] std::size_t group_size() const noexcept { return begins_.back(); }
  [[nodiscard]] std::size_t num_outputs() const noexcept { return num_outputs_; }
  [[nodiscard]] std::size_t length(std::size_t head) const noexcept {
    return begins_[head + 1] - begins_[head];
  }
  /// Within a group.
  [[nodiscard]] std::size_t begin(std::size_t head) const noexcept { return begins_[head]; }

  template <class T>
  [[nodiscard]] std::span<T> group(std::span<T> outputs, std::size_t g) const {
    return outputs.subspan(g * group_size(), group_size());
  }
  template <class T>
  [[nodiscard]] std::span<T> head(std::span<T> group, std::size_t head) const {
    return group.subspan(begin(head), length(head));
  }
  /// None with one group.
  template <class T>
  [[nodiscard]] std::span<T> gates(std::span<T> outputs) const {
    return outputs.subspan(rank_ * group_size());
  }

 private:
  std::vector<std::size_t> begins_;  // one more than heads
  std::size_t rank_;
  std::size_t num_outputs_ = 0;
  Loss loss_;
};

/// The loss of one example; replaces its outputs by the gradient of weight * loss. `digits`
/// [label][head] are those of its labels.
///
/// kSoftmax: the mean over labels of -log p(y); 0 without labels. With one group that is the sum of
/// the heads' cross-entropies. kSigmoid: binary cross-entropy summed over all outputs, whose
/// targets are 1 where one of the labels has the digit (Algorithm 2).
double product_loss(const ProductLayout& layout, std::span<const std::uint32_t> digits,
                    float weight, std::span<float> outputs);

/// Replaces outputs by probabilities: every head sums to 1, and so do the gates. Sigmoids are
/// divided by their sum; returns the log of the product of these sums, 0 for softmax.
double product_probabilities(const ProductLayout& layout, std::span<float> outputs);
/// The same by a softmax for each head and the gates, whatever the loss.
void softmax_heads(const ProductLayout& layout, std::span<float> outputs);

}  // namespace mhe::heads

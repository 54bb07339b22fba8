// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/context.h>
#include <mhe/ids.h>

#include "heads/level_work.h"

namespace mhe::heads {

/// The softmax over labels whose scores are sums of their digits' outputs: cross-entropy over the
/// labels that there are, where softmaxes of heads one by one would also share out to all
/// combinations of digits that are no label. It is a one-hot classifier whose rows are sums of a
/// few shared ones: C * H additions an example, and no arithmetic on features.
///
/// Works on blocks of labels for all examples at once, so that every addition is one of whole
/// vectors. Holds the scratch space of a step.
class CodeLoss {
 public:
  /// What a step holds beside the outputs.
  [[nodiscard]] static std::size_t work_bytes(std::size_t num_outputs, std::size_t batch) {
    return sizeof(float) * kParts * num_outputs * batch;
  }

  /// `codes` [head][label]; kept as spans.
  CodeLoss(std::span<const std::uint32_t> codes, std::span<const std::uint32_t> lengths);

  /// Replaces `outputs` [output][example] by the gradient of the mean loss over the examples and
  /// returns that: of an example, the mean over its labels of -log p; 0 without labels. The same
  /// bits for any number of threads.
  double run(const Context& context, std::span<const std::span<const LabelId>> labels,
             std::span<float> outputs);

 private:
  // Gradients of outputs are summed in this many parts, by label, for any number of threads.
  static constexpr std::size_t kParts = 8;

  struct LabelBlock {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  void find_positives(std::span<const std::span<const LabelId>> labels);
  [[nodiscard]] LabelBlock label_block(std::size_t index) const;
  void sum_block(const LabelBlock& block, std::span<const float> outputs, float* scores) const;
  void find_log_sums(const Context& context, std::span<const float> outputs);
  double gradient_of_block(const LabelBlock& block, float* scores) const;
  void add_block(const LabelBlock& block, const float* gradients, float* output_gradients) const;

  std::span<const std::uint32_t> codes_;
  std::vector<std::size_t> begins_;  // [head]: its first output
  std::size_t num_labels_;

  // Of the batch at hand.
  std::size_t batch_ = 0;
  std::vector<Positive> positives_;  // rows are labels
  std::vector<float> shares_;        // [example]: 1 / its labels; 0 if it has none
  std::vector<float> scales_;        // [example]: of the softmax's gradient
  std::vector<float> block_max_;     // [block][example]
  std::vector<float> block_sum_;
  std::vector<float> log_sums_;              // [example]
  std::vector<std::vector<float>> scratch_;  // [worker]: scores [label of a block][example]
  std::vector<float> part_gradients_;        // [part][output][example]
  std::vector<double> part_losses_;
};

}  // namespace mhe::heads

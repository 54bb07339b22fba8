// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/code_loss.h"

#include <algorithm>

#include "base/parallel.h"
#include "kernels/losses.h"
#include "kernels/rows.h"

namespace mhe::heads {
namespace {

// Scores of a block for 256 examples are 128 KB: they stay in L2.
constexpr std::size_t kLabelsPerBlock = 128;

std::size_t blocks_of(std::size_t num_labels) {
  return (num_labels + kLabelsPerBlock - 1) / kLabelsPerBlock;
}

}  // namespace

CodeLoss::CodeLoss(std::span<const std::uint32_t> codes, std::span<const std::uint32_t> lengths)
    : codes_(codes), num_labels_(codes.size() / lengths.size()) {
  std::size_t begin = 0;
  for (const std::uint32_t length : lengths) {
    begins_.push_back(begin);
    begin += length;
  }
}

CodeLoss::LabelBlock CodeLoss::label_block(std::size_t index) const {
  return {index * kLabelsPerBlock, std::min((index + 1) * kLabelsPerBlock, num_labels_)};
}

void CodeLoss::find_positives(std::span<const std::span<const LabelId>> labels) {
  const float weight = 1 / static_cast<float>(labels.size());
  positives_.clear();
  shares_.assign(labels.size(), 0);
  scales_.assign(labels.size(), 0);
  for (std::uint32_t e = 0; e < labels.size(); ++e) {
    if (labels[e].empty()) continue;
    shares_[e] = 1 / static_cast<float>(labels[e].size());
    scales_[e] = weight;
    for (const LabelId label : labels[e]) {
      positives_.push_back({static_cast<std::uint32_t>(index_of(label)), e});
    }
  }
  std::sort(positives_.begin(), positives_.end());
}

void CodeLoss::sum_block(const LabelBlock& block, std::span<const float> outputs,
                         float* scores) const {
  for (std::size_t label = block.begin; label < block.end; ++label, scores += batch_) {
    for (std::size_t h = 0; h < begins_.size(); ++h) {
      const float* const row =
          outputs.data() + (begins_[h] + codes_[h * num_labels_ + label]) * batch_;
      if (h == 0) {
        std::copy_n(row, batch_, scores);
      } else {
        kernels::add_row(scores, row, batch_);
      }
    }
  }
}

void CodeLoss::find_log_sums(const Context& context, std::span<const float> outputs) {
  const std::size_t blocks = blocks_of(num_labels_);
  block_max_.resize(blocks * batch_);
  block_sum_.resize(blocks * batch_);
  parallel_blocks(context, blocks, 1, [&](const Block& task) {
    std::vector<float>& scores = scratch_[task.worker];
    const LabelBlock block = label_block(task.begin);
    sum_block(block, outputs, scores.data());
    kernels::max_sum_columns(scores.data(), batch_, block.end - block.begin, batch_,
                             block_max_.data() + task.begin * batch_,
                             block_sum_.data() + task.begin * batch_);
  });
  std::vector<float> max(block_max_.begin(),
                         block_max_.begin() + static_cast<std::ptrdiff_t>(batch_));
  for (std::size_t i = batch_; i < block_max_.size(); ++i) {
    max[i % batch_] = std::max(max[i % batch_], block_max_[i]);
  }
  std::vector<double> sums(batch_);
  for (std::size_t b = 0; b < blocks; ++b) {
    float* const part = block_max_.data() + b * batch_;
    kernels::scale_exp_each(part, batch_, max.data(), block_sum_.data() + b * batch_);
    for (std::size_t e = 0; e < batch_; ++e) sums[e] += static_cast<double>(part[e]);
  }
  log_sums_.resize(batch_);
  for (std::size_t e = 0; e < batch_; ++e) {
    log_sums_[e] = max[e] + static_cast<float>(kernels::portable_log(sums[e]));
  }
}

// Replaces scores by gradients and returns the loss, summed over the examples.
double CodeLoss::gradient_of_block(const LabelBlock& block, float* scores) const {
  const auto first = std::lower_bound(positives_.begin(), positives_.end(),
                                      Positive{static_cast<std::uint32_t>(block.begin), 0});
  const auto score_of = [&](const Positive& p) -> float& {
    return scores[(p.row - block.begin) * batch_ + p.example];
  };
  double loss = 0;
  for (auto p = first; p != positives_.end() && p->row < block.end; ++p) {
    loss += static_cast<double>(shares_[p->example]) *
            (static_cast<double>(log_sums_[p->example]) - static_cast<double>(score_of(*p)));
  }
  for (std::size_t row = 0; row < block.end - block.begin; ++row) {
    kernels::scale_exp_each(scores + row * batch_, batch_, log_sums_.data(), scales_.data());
  }
  for (auto p = first; p != positives_.end() && p->row < block.end; ++p) {
    score_of(*p) -= scales_[p->example] * shares_[p->example];
  }
  return loss;
}

void CodeLoss::add_block(const LabelBlock& block, const float* gradients,
                         float* output_gradients) const {
  for (std::size_t label = block.begin; label < block.end; ++label, gradients += batch_) {
    for (std::size_t h = 0; h < begins_.size(); ++h) {
      const std::size_t output = begins_[h] + codes_[h * num_labels_ + label];
      kernels::add_row(output_gradients + output * batch_, gradients, batch_);
    }
  }
}

double CodeLoss::run(const Context& context, std::span<const std::span<const LabelId>> labels,
                     std::span<float> outputs) {
  batch_ = labels.size();
  if (batch_ == 0) return 0;
  scratch_.resize(std::max(scratch_.size(), context.threads()));
  for (std::vector<float>& scores : scratch_) scores.resize(kLabelsPerBlock * batch_);
  find_positives(labels);
  find_log_sums(context, outputs);
  part_gradients_.assign(kParts * outputs.size(), 0);
  part_losses_.assign(kParts, 0);
  const std::size_t blocks = blocks_of(num_labels_);
  parallel_blocks(context, kParts, 1, [&](const Block& task) {
    const std::size_t part = task.begin;
    float* const scores = scratch_[task.worker].data();
    for (std::size_t b = part * blocks / kParts; b < (part + 1) * blocks / kParts; ++b) {
      sum_block(label_block(b), outputs, scores);
      part_losses_[part] += gradient_of_block(label_block(b), scores);
      add_block(label_block(b), scores, part_gradients_.data() + part * outputs.size());
    }
  });
  std::copy_n(part_gradients_.data(), outputs.size(), outputs.data());
  double loss = part_losses_[0];
  for (std::size_t part = 1; part < kParts; ++part) {
    kernels::add_row(outputs.data(), part_gradients_.data() + part * outputs.size(),
                     outputs.size());
    loss += part_losses_[part];
  }
  return loss / static_cast<double>(batch_);
}

}  // namespace mhe::heads

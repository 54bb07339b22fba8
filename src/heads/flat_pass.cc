// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/flat_pass.h"

#include <algorithm>

#include "base/check.h"
#include "base/checked.h"
#include "base/parallel.h"
#include "kernels/gemm.h"
#include "kernels/losses.h"
#include "kernels/rows.h"

namespace mhe::heads {
namespace {

using kernels::Layout;

// Whole register tiles of every target (14 and 6 rows). With 512 floats a row it is 336 KiB: a
// block, its scores and a part of the features' gradient share an L2 cache of 1 MiB.
constexpr std::size_t kBlockRows = 168;
constexpr std::size_t kWideBlockRows = 84;
constexpr std::size_t kWideDim = 768;
// Few rows are cut finer, so that threads share them evenly, but for that each block pays a sum of
// dLoss/dF.
constexpr std::size_t kMinBlocks = 4;
constexpr std::size_t kLeastBlockRows = 42;
// Rows whose gradients are made before they are moved: 84 KiB of 512 floats.
constexpr std::size_t kUpdateRows = 42;
// Parts of the blocks, each with its own sum of dLoss/dF: enough to occupy the threads of one
// machine, few enough that adding them up takes no time.
constexpr std::size_t kMaxParts = 32;

// At most, for `num_rows` rows in all.
std::size_t rows_per_block(std::size_t num_rows, std::size_t dim) {
  const std::size_t most = dim <= kWideDim ? kBlockRows : kWideBlockRows;
  return std::clamp(ceil_div(num_rows, kMinBlocks), kLeastBlockRows, most);
}

std::size_t num_blocks(std::size_t num_ranges, std::size_t rows_per_range, std::size_t dim) {
  return num_ranges * ceil_div(rows_per_range, rows_per_block(num_ranges * rows_per_range, dim));
}

}  // namespace

std::size_t FlatPass::work_bytes(std::size_t num_ranges, std::size_t rows_per_range,
                                 std::size_t dim, std::size_t batch) {
  const std::size_t blocks = num_blocks(num_ranges, rows_per_range, dim);
  // Gradients of the parts, and the features turned.
  return sizeof(float) * dim * batch * (std::min(kMaxParts, blocks) + 1);
}

std::size_t FlatPass::score_bytes(std::size_t num_ranges, std::size_t rows_per_range,
                                  std::size_t dim, std::size_t batch) {
  // Beside the scores a maximum and a sum of each block.
  const std::size_t blocks = num_blocks(num_ranges, rows_per_range, dim);
  return sizeof(float) * batch * (num_ranges * rows_per_range + 2 * blocks);
}

void FlatPass::select(std::span<const RowRange> ranges, std::size_t dim) {
  blocks_.clear();
  num_rows_ = 0;
  has_scores_ = false;
  std::size_t all_rows = 0;
  for (const RowRange& range : ranges) all_rows += range.end - range.begin;
  const std::size_t block_rows = rows_per_block(all_rows, dim);
  for (const RowRange& range : ranges) {
    const std::size_t size = range.end - range.begin;
    const std::size_t count = ceil_div(size, block_rows);
    // Whole tiles where there are many, equal shares where there are few.
    const std::size_t share = count <= kMinBlocks ? ceil_div(size, count) : block_rows;
    for (std::size_t begin = range.begin; begin < range.end; begin += share) {
      const std::size_t end = std::min(range.end, begin + share);
      blocks_.push_back({begin, end, num_rows_});
      num_rows_ += end - begin;
    }
  }
}

void FlatPass::turn_features(const Context& context, const MatrixView& features) {
  batch_ = features.num_rows;
  turned_.resize(features.size());
  constexpr std::size_t kGrain = 64;  // columns
  const std::size_t dim = features.num_columns;
  parallel_blocks(context, dim, kGrain, [&](const Block& columns) {
    kernels::transpose(features.data + columns.begin, dim, batch_, columns.end - columns.begin,
                       turned_.data() + columns.begin * batch_, batch_);
  });
}

void FlatPass::score_block(const RowTable& table, const RowBlock& block, float* scores) const {
  for (std::size_t row = block.begin; row < block.end; ++row) {
    std::fill_n(scores + (row - block.begin) * batch_, batch_, table.biases()[row]);
  }
  kernels::gemm({block.size(),
                 batch_,
                 table.dim(),
                 {table.row(block.begin), table.dim(), Layout::kRows},
                 {turned_.data(), batch_, Layout::kRows},
                 scores,
                 batch_,
                 true});
}

void FlatPass::shift_block(const GroupShift& shift, const RowBlock& block, float* scores) const {
  const std::size_t size = shift.group_size;
  const std::size_t last = (block.end + size - 1) / size;
  for (const Positive& own : rows_between(shift.groups, block.begin / size, last)) {
    const std::size_t begin = std::max(block.begin, own.row * size);
    const std::size_t end = std::min(block.end, (own.row + 1) * size);
    for (std::size_t row = begin; row < end; ++row) {
      scores[(row - block.begin) * batch_ + own.example] += shift.shift;
    }
  }
}

void FlatPass::score(const Context& context, const RowTable& table, const MatrixView& features,
                     const GroupShift& shift) {
  turn_features(context, features);
  make_room(scores_, num_rows_ * batch_);
  make_room(block_max_, blocks_.size() * batch_);
  make_room(block_sum_, blocks_.size() * batch_);
  parallel_blocks(context, blocks_.size(), 1, [&](const Block& one) {
    const RowBlock& block = blocks_[one.begin];
    float* scores = scores_.data() + block.offset * batch_;
    score_block(table, block, scores);
    if (!shift.groups.empty()) shift_block(shift, block, scores);
    kernels::max_sum_columns(scores, batch_, block.size(), batch_,
                             block_max_.data() + one.begin * batch_,
                             block_sum_.data() + one.begin * batch_);
  });
  has_scores_ = true;
}

// log sum exp over all selected rows, blocks in order.
void FlatPass::normalize(const Context& context, std::size_t batch) {
  log_sums_.assign(batch, 0);
  constexpr std::size_t kGrain = 64;
  parallel_blocks(context, batch, kGrain, [&](const Block& examples) {
    const std::size_t size = examples.end - examples.begin;
    std::vector<float> max(block_max_.begin() + static_cast<std::ptrdiff_t>(examples.begin),
                           block_max_.begin() + static_cast<std::ptrdiff_t>(examples.end));
    for (std::size_t b = 1; b < blocks_.size(); ++b) {
      const float* other = block_max_.data() + b * batch + examples.begin;
      for (std::size_t i = 0; i < size; ++i) max[i] = std::max(max[i], other[i]);
    }
    std::vector<double> sum(size);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      float* part = block_max_.data() + b * batch + examples.begin;
      kernels::scale_exp_each(part, size, max.data(),
                              block_sum_.data() + b * batch + examples.begin);
      for (std::size_t i = 0; i < size; ++i) sum[i] += part[i];
    }
    for (std::size_t i = 0; i < size; ++i) {
      log_sums_[examples.begin + i] = max[i] + static_cast<float>(kernels::portable_log(sum[i]));
    }
  });
}

// Replaces scores [row][example] by the gradient and returns the loss.
double FlatPass::gradient_of_block(const LevelWork& work, const RowBlock& block,
                                   float* scores) const {
  const std::span<const Positive> positives =
      rows_between(work.targets.positives, block.begin, block.end);
  const auto score_of = [&](const Positive& p) -> float& {
    return scores[(p.row - block.begin) * batch_ + p.example];
  };
  double loss = 0;
  const bool softmax = work.loss == Loss::kSoftmax;
  for (const Positive& p : positives) {
    const double score = score_of(p);
    loss += softmax ? static_cast<double>(work.targets.weights[p.example]) *
                          (static_cast<double>(log_sums_[p.example]) - score)
                    : -score;
  }
  for (std::size_t row = 0; row < block.size(); ++row) {
    float* of_row = scores + row * batch_;
    if (softmax) {
      kernels::scale_exp_each(of_row, batch_, log_sums_.data(), scales_.data());
    } else {
      loss += static_cast<double>(kernels::scale_sigmoid(of_row, batch_, work.weight));
    }
  }
  for (const Positive& p : positives) {
    score_of(p) -= softmax ? work.weight * work.targets.weights[p.example] : work.weight;
  }
  return loss * static_cast<double>(work.weight);
}

void FlatPass::update_block(RowTable& table, const LevelWork& work, const RowBlock& block,
                            const float* gradients, Scratch& scratch) const {
  const std::size_t dim = table.dim();
  scratch.row_gradients.resize(kUpdateRows * dim);
  scratch.bias_gradients.resize(kUpdateRows);
  for (std::size_t begin = 0; begin < block.size(); begin += kUpdateRows) {
    const std::size_t size = std::min(kUpdateRows, block.size() - begin);
    const float* from = gradients + begin * batch_;
    kernels::gemm({size,
                   dim,
                   batch_,
                   {from, batch_, Layout::kRows},
                   {work.features.data, dim, Layout::kRows},
                   scratch.row_gradients.data(),
                   dim,
                   false});
    for (std::size_t i = 0; i < size; ++i) {
      scratch.bias_gradients[i] = kernels::sum(from + i * batch_, batch_);
    }
    table.update(block.begin + begin, {scratch.row_gradients.data(), size, dim},
                 {scratch.bias_gradients.data(), size}, *work.move.optimizer,
                 work.move.learning_rate);
  }
}

void FlatPass::run_part(RowTable& table, const LevelWork& work, std::size_t part,
                        Scratch& scratch) {
  const std::size_t num_parts = std::min(kMaxParts, blocks_.size());
  const std::size_t dim = table.dim();
  float* part_gradient = part_gradients_.data() + part * batch_ * dim;
  const std::size_t first = part * blocks_.size() / num_parts;
  const std::size_t last = (part + 1) * blocks_.size() / num_parts;
  for (std::size_t b = first; b < last; ++b) {
    const RowBlock& block = blocks_[b];
    float* scores = nullptr;
    if (has_scores_) {
      scores = scores_.data() + block.offset * batch_;
    } else {
      scratch.scores.resize(block.size() * batch_);
      scores = scratch.scores.data();
      score_block(table, block, scores);
    }
    block_loss_[b] = gradient_of_block(work, block, scores);
    kernels::gemm({batch_,
                   dim,
                   block.size(),
                   {scores, batch_, Layout::kTransposed},
                   {table.row(block.begin), dim, Layout::kRows},
                   part_gradient,
                   dim,
                   b > first});
    if (work.move.optimizer != nullptr) update_block(table, work, block, scores, scratch);
  }
}

double FlatPass::backward(const Context& context, RowTable& table, const LevelWork& work) {
  if (blocks_.empty() || work.features.num_rows == 0) return 0;
  MHE_ASSERT(has_scores_ || work.loss == Loss::kSigmoid);
  if (has_scores_) {
    if (work.loss == Loss::kSoftmax) normalize(context, batch_);
  } else {
    turn_features(context, work.features);
  }
  scales_.resize(batch_);
  for (std::size_t i = 0; i < batch_; ++i) {
    scales_[i] = work.targets.weights[i] > 0 ? work.weight : 0;
  }
  const std::size_t num_parts = std::min(kMaxParts, blocks_.size());
  block_loss_.assign(blocks_.size(), 0);
  part_gradients_.resize(num_parts * work.features.size());
  scratch_.resize(context.threads());
  parallel_blocks(context, num_parts, 1, [&](const Block& one) {
    run_part(table, work, one.begin, scratch_[one.worker]);
  });
  constexpr std::size_t kGrain = 16;
  const std::size_t dim = table.dim();
  parallel_blocks(context, batch_, kGrain, [&](const Block& examples) {
    const std::size_t size = (examples.end - examples.begin) * dim;
    for (std::size_t part = 0; part < num_parts; ++part) {
      kernels::add_row(work.feature_gradient.data + examples.begin * dim,
                       part_gradients_.data() + (part * batch_ + examples.begin) * dim, size);
    }
  });
  has_scores_ = false;
  double loss = 0;
  for (const double part : block_loss_) loss += part;
  return loss;
}

}  // namespace mhe::heads

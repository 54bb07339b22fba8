// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/group_pass.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "kernels/gemm.h"
#include "kernels/losses.h"
#include "kernels/rows.h"

namespace mhe::heads {
namespace {

using kernels::Layout;

// Rows that go from scores to update before the next: 84 KiB of 512 floats, so that memory is read
// and written once however many children there are.
constexpr std::size_t kChunkRows = 42;
// From this many examples on, a matrix product with tiles up to 32 wide beats dot products.
constexpr std::size_t kMinGemmPairs = 24;
// Up to this many examples, one pass over the rows replaces two matrix products. Of 8, 16 and 24
// the last was fastest; from there on scores are a product too.
constexpr std::size_t kMaxSharing = 24;
// Rows whose gradients are made before they are moved: 16 KiB of 512 floats, half of an L1 cache.
constexpr std::size_t kSharedRows = 8;
// Floats between rows of features and of gradients beyond their width: rows of a power of two would
// all lie in the same few places of a near cache. A cache line.
constexpr std::size_t kPadding = 16;
constexpr std::size_t kGroupedExampleGrain = 16;

}  // namespace

void GroupPass::select(std::vector<Pair>& pairs, std::size_t num_rows, std::size_t num_children,
                       std::size_t batch) {
  std::swap(pairs_, pairs);
  num_rows_ = num_rows;
  num_children_ = num_children;
  has_scores_ = false;
  const std::size_t num_parents = (num_rows + num_children - 1) / num_children;
  sort_pairs_(pairs_, num_parents, [](const Pair& pair) { return pair.parent; });
  groups_.clear();
  example_begins_.assign(batch + 1, 0);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (i == 0 || pairs_[i].parent != pairs_[i - 1].parent) groups_.push_back({i, i, false});
    groups_.back().end = i + 1;
    ++example_begins_[pairs_[i].example + 1];
  }
  for (std::size_t i = 0; i < batch; ++i) example_begins_[i + 1] += example_begins_[i];
  example_pairs_.resize(pairs_.size());
  std::vector<std::uint32_t> next(example_begins_.begin(), example_begins_.end() - 1);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    example_pairs_[next[pairs_[i].example]++] = static_cast<std::uint32_t>(i);
  }
}

std::size_t GroupPass::children_of(std::uint32_t parent) const noexcept {
  return std::min(num_children_, num_rows_ - parent * num_children_);
}

// Of an example that is alone with one parent, the group of that parent: all else that its softmax
// needs is in groups of several.
void GroupPass::mark_late_groups() {
  std::vector<std::uint8_t> num_alone(example_begins_.size() - 1, 0);
  for (const Group& group : groups_) {
    std::uint8_t& alone = num_alone[pairs_[group.begin].example];
    if (group.size() == 1 && alone < 2) ++alone;
  }
  is_late_.assign(num_alone.size(), 0);
  for (Group& group : groups_) {
    const std::uint32_t example = pairs_[group.begin].example;
    group.is_late = group.size() == 1 && num_alone[example] == 1;
    if (group.is_late) is_late_[example] = 1;
  }
}

std::span<const std::uint32_t> GroupPass::pairs_of(std::size_t example) const noexcept {
  return std::span(example_pairs_)
      .subspan(example_begins_[example], example_begins_[example + 1] - example_begins_[example]);
}

std::span<const float> GroupPass::scores(std::size_t pair) const noexcept {
  return std::span(scores_).subspan(pair * num_children_, children_of(pairs_[pair].parent));
}

void GroupPass::split_groups() {
  late_.clear();
  shared_.clear();
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    (groups_[i].is_late ? late_ : shared_).push_back(i);
  }
  // The largest first, or one thread may be left alone with one of them.
  std::stable_sort(shared_.begin(), shared_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return groups_[a].size() > groups_[b].size();
  });
}

const float* GroupPass::gather(const Group& group, const MatrixView& features,
                               Scratch& scratch) const {
  if (group.size() == 1) return features[pairs_[group.begin].example].data();
  const std::size_t stride = features.num_columns + kPadding;
  scratch.features.resize(group.size() * stride);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::span<const float> from = features[pairs_[group.begin + i].example];
    std::copy(from.begin(), from.end(),
              scratch.features.begin() + static_cast<std::ptrdiff_t>(i * stride));
  }
  return scratch.features.data();
}

void GroupPass::score_chunk(const RowTable& table, const float* features, std::size_t num_pairs,
                            const Chunk& chunk, Scratch& scratch) {
  const std::size_t dim = table.dim();
  const float* rows = table.row(chunk.begin);
  if (num_pairs < kMinGemmPairs) {
    // All examples meet some rows before the next rows come from memory; up to four do so anyway.
    const std::size_t together = num_pairs <= 4 ? chunk.size : kChunkRows;
    for (std::size_t begin = 0; begin < chunk.size; begin += together) {
      kernels::dot_rows({rows + begin * dim, dim, std::min(together, chunk.size - begin), features,
                         dim + kPadding, num_pairs, dim, chunk.values + begin, 1, chunk.stride});
    }
  } else {
    // As [child][example], which is fast, then turned.
    scratch.turned.resize((chunk.size + dim) * num_pairs);
    float* product = scratch.turned.data();
    float* turned = product + chunk.size * num_pairs;
    kernels::transpose(features, dim + kPadding, num_pairs, dim, turned, num_pairs);
    kernels::gemm({chunk.size,
                   num_pairs,
                   dim,
                   {rows, dim, Layout::kRows},
                   {turned, num_pairs, Layout::kRows},
                   product,
                   num_pairs,
                   false});
    kernels::transpose(product, num_pairs, chunk.size, num_pairs, chunk.values, chunk.stride);
  }
  const float* biases = table.biases().data() + chunk.begin;
  for (std::size_t i = 0; i < num_pairs; ++i) {
    kernels::add_row(chunk.values + i * chunk.stride, biases, chunk.size);
  }
}

void GroupPass::score_group(const RowTable& table, const Group& group, const float* features,
                            Scratch& scratch) {
  const std::uint32_t parent = pairs_[group.begin].parent;
  float* values = scores_.data() + group.begin * num_children_;
  score_chunk(table, features, group.size(),
              {parent * num_children_, children_of(parent), values, num_children_}, scratch);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const float shift = pairs_[group.begin + i].shift;
    if (shift == 0) continue;
    float* of_pair = values + i * num_children_;
    for (std::size_t j = 0; j < children_of(parent); ++j) of_pair[j] += shift;
  }
}

void GroupPass::score(const Context& context, const RowTable& table, const MatrixView& features,
                      Groups which) {
  make_room(scores_, pairs_.size() * num_children_);
  scratch_.resize(context.threads());
  if (which == Groups::kShared) mark_late_groups();
  split_groups();
  parallel_blocks(context, shared_.size(), 1, [&](const Block& one) {
    const Group& group = groups_[shared_[one.begin]];
    Scratch& scratch = scratch_[one.worker];
    score_group(table, group, gather(group, features, scratch), scratch);
  });
  has_scores_ = true;
}

void GroupPass::normalize_example(std::size_t example, Scratch& scratch) {
  const std::span<const std::uint32_t> pairs = pairs_of(example);
  if (pairs.empty()) return;
  scratch.maxima.clear();
  scratch.sums.clear();
  for (const std::uint32_t pair : pairs) {
    const std::span<const float> of_children = scores(pair);
    const kernels::MaxSum of_pair = kernels::max_sum(of_children.data(), of_children.size());
    scratch.maxima.push_back(of_pair.max);
    scratch.sums.push_back(of_pair.sum);
  }
  const float max = *std::max_element(scratch.maxima.begin(), scratch.maxima.end());
  scratch.shifts.assign(pairs.size(), max);
  kernels::scale_exp_each(scratch.maxima.data(), pairs.size(), scratch.shifts.data(),
                          scratch.sums.data());
  double sum = 0;
  for (const float part : scratch.maxima) sum += part;
  log_sums_[example] = max + static_cast<float>(kernels::portable_log(sum));
}

void GroupPass::normalize(const Context& context) {
  const std::size_t batch = example_begins_.size() - 1;
  log_sums_.assign(batch, 0);
  scratch_.resize(context.threads());
  parallel_blocks(context, batch, kGroupedExampleGrain, [&](const Block& examples) {
    for (std::size_t example = examples.begin; example < examples.end; ++example) {
      if (late_.empty() || is_late_[example] == 0) {
        normalize_example(example, scratch_[examples.worker]);
      }
    }
  });
}

double GroupPass::gradient_of_chunk(const LevelWork& work, const Group& group,
                                    const Chunk& chunk) const {
  const auto score_of = [&](const Positive& p) -> float& {
    const auto first = pairs_.begin() + static_cast<std::ptrdiff_t>(group.begin);
    const auto last = pairs_.begin() + static_cast<std::ptrdiff_t>(group.end);
    const auto pair = std::lower_bound(
        first, last, p.example, [](const Pair& a, std::uint32_t e) { return a.example < e; });
    MHE_ASSERT(pair != last && pair->example == p.example);
    return chunk
        .values[static_cast<std::size_t>(pair - first) * chunk.stride + p.row - chunk.begin];
  };
  const bool softmax = work.loss == Loss::kSoftmax;
  const std::span<const Positive> positives =
      rows_between(work.targets.positives, chunk.begin, chunk.begin + chunk.size);
  double loss = 0;
  for (const Positive& p : positives) {
    const double score = score_of(p);
    loss += softmax ? static_cast<double>(work.targets.weights[p.example]) *
                          (static_cast<double>(log_sums_[p.example]) - score)
                    : -score;
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    float* values = chunk.values + i * chunk.stride;
    const std::uint32_t example = pairs_[group.begin + i].example;
    if (softmax) {
      const float scale = work.targets.weights[example] > 0 ? work.weight : 0;
      kernels::scale_exp(values, chunk.size, log_sums_[example], scale);
    } else {
      loss += static_cast<double>(kernels::scale_sigmoid(values, chunk.size, work.weight));
    }
  }
  for (const Positive& p : positives) {
    score_of(p) -= softmax ? work.weight * work.targets.weights[p.example] : work.weight;
  }
  return loss * static_cast<double>(work.weight);
}

void GroupPass::sum_biases(std::size_t num_pairs, const Chunk& chunk, Scratch& scratch) {
  scratch.bias_gradients.assign(chunk.values, chunk.values + chunk.size);
  for (std::size_t i = 1; i < num_pairs; ++i) {
    kernels::add_row(scratch.bias_gradients.data(), chunk.values + i * chunk.stride, chunk.size);
  }
}

void GroupPass::update_chunk(RowTable& table, const RowMove& move, const float* features,
                             std::size_t num_pairs, const Chunk& chunk, Scratch& scratch) {
  const std::size_t dim = table.dim();
  scratch.row_gradients.resize(chunk.size * dim);
  kernels::gemm({chunk.size,
                 dim,
                 num_pairs,
                 {chunk.values, chunk.stride, Layout::kTransposed},
                 {features, dim + kPadding, Layout::kRows},
                 scratch.row_gradients.data(),
                 dim,
                 false});
  sum_biases(num_pairs, chunk, scratch);
  table.update(chunk.begin, {scratch.row_gradients.data(), chunk.size, dim}, scratch.bias_gradients,
               *move.optimizer, move.learning_rate);
}

// dLoss/dF of the chunk and its update in one pass over the rows, to the bits of the products.
void GroupPass::share_chunk(RowTable& table, const RowMove& move, const float* features,
                            std::size_t num_pairs, const Chunk& chunk, Scratch& scratch) {
  const std::size_t dim = table.dim();
  const std::size_t stride = dim + kPadding;
  scratch.row_gradients.resize(kSharedRows * stride);
  sum_biases(num_pairs, chunk, scratch);
  for (std::size_t begin = 0; begin < chunk.size; begin += kSharedRows) {
    const std::size_t size = std::min(kSharedRows, chunk.size - begin);
    kernels::share_rows({table.row(chunk.begin + begin), size, dim, features, stride, num_pairs,
                         chunk.values + begin, chunk.stride, scratch.feature_gradients.data(),
                         stride, scratch.row_gradients.data(), stride,
                         chunk.num_next + chunk.size - begin - size});
    for (std::size_t i = 0; i < size; ++i) {
      table.update(chunk.begin + begin + i, {scratch.row_gradients.data() + i * stride, 1, dim},
                   std::span(scratch.bias_gradients).subspan(begin + i, 1), *move.optimizer,
                   move.learning_rate);
    }
  }
}

// From scores to dLoss/dF, which is added to, and the update.
double GroupPass::run_chunk(RowTable& table, const LevelWork& work, const Group& group,
                            const float* features, const Chunk& chunk, Scratch& scratch) {
  const std::size_t dim = table.dim();
  float* feature_gradients = pair_gradients_.data() + group.begin * dim;
  const double loss = gradient_of_chunk(work, group, chunk);
  if (group.size() == 1 && work.move.optimizer != nullptr) {
    table.update(chunk.begin, std::span(chunk.values, chunk.size), std::span(features, dim),
                 work.move, std::span(feature_gradients, dim));
    return loss;
  }
  if (shares_rows(group, work)) {
    share_chunk(table, work.move, features, group.size(), chunk, scratch);
    return loss;
  }
  kernels::gemm({group.size(),
                 dim,
                 chunk.size,
                 {chunk.values, chunk.stride, Layout::kRows},
                 {table.row(chunk.begin), dim, Layout::kRows},
                 feature_gradients,
                 dim,
                 !chunk.is_first});
  if (work.move.optimizer != nullptr) {
    update_chunk(table, work.move, features, group.size(), chunk, scratch);
  }
  return loss;
}

bool GroupPass::shares_rows(const Group& group, const LevelWork& work) {
  return group.size() > 1 && group.size() <= kMaxSharing && work.move.optimizer != nullptr;
}

double GroupPass::run_group(RowTable& table, const LevelWork& work, const Group& group,
                            Scratch& scratch) {
  const float* features = gather(group, work.features, scratch);
  if (group.is_late) {
    score_group(table, group, features, scratch);
    normalize_example(pairs_[group.begin].example, scratch);
  }
  const std::size_t dim = table.dim();
  const std::size_t stride = dim + kPadding;
  float* feature_gradients = pair_gradients_.data() + group.begin * dim;
  if (group.size() == 1) std::fill_n(feature_gradients, dim, 0.0F);
  if (shares_rows(group, work)) scratch.feature_gradients.assign(group.size() * stride, 0.0F);
  const std::uint32_t parent = pairs_[group.begin].parent;
  const std::size_t num_children = children_of(parent);
  scratch.scores.resize(group.size() * kChunkRows);
  double loss = 0;
  for (std::size_t begin = 0; begin < num_children; begin += kChunkRows) {
    const std::size_t size = std::min(kChunkRows, num_children - begin);
    Chunk chunk = {
        parent * num_children_ + begin, size, scratch.scores.data(), kChunkRows, begin == 0,
        num_children - begin - size};
    if (has_scores_) {
      chunk.values = scores_.data() + group.begin * num_children_ + begin;
      chunk.stride = num_children_;
    } else {
      score_chunk(table, features, group.size(), chunk, scratch);
    }
    loss += run_chunk(table, work, group, features, chunk, scratch);
  }
  if (shares_rows(group, work)) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      std::copy_n(scratch.feature_gradients.data() + i * stride, dim, feature_gradients + i * dim);
    }
  }
  return loss;
}

void GroupPass::add_feature_gradients(const Context& context, const LevelWork& work) {
  const std::size_t dim = work.features.num_columns;
  if (ones_.size() < pairs_.size()) ones_.resize(pairs_.size(), 1.0F);
  parallel_blocks(
      context, work.features.num_rows, kGroupedExampleGrain, [&](const Block& examples) {
        for (std::size_t example = examples.begin; example < examples.end; ++example) {
          const std::span<const std::uint32_t> pairs = pairs_of(example);
          kernels::add_weighted_rows(
              {pair_gradients_.data(), dim, pairs, std::span(ones_).first(pairs.size())},
              work.feature_gradient[example].data());
        }
      });
}

double GroupPass::backward(const Context& context, RowTable& table, const LevelWork& work) {
  MHE_ASSERT(has_scores_ || work.loss == Loss::kSigmoid);
  scratch_.resize(context.threads());
  make_room(pair_gradients_, pairs_.size() * table.dim());
  group_loss_.assign(groups_.size(), 0);
  if (!has_scores_) split_groups();
  // The late ones first: the others need the sums of their examples.
  for (const std::span<const std::uint32_t> groups : {std::span(late_), std::span(shared_)}) {
    parallel_blocks(context, groups.size(), 1, [&](const Block& one) {
      const std::uint32_t group = groups[one.begin];
      group_loss_[group] = run_group(table, work, groups_[group], scratch_[one.worker]);
    });
  }
  add_feature_gradients(context, work);
  has_scores_ = false;
  double loss = 0;
  for (const double part : group_loss_) loss += part;
  return loss;
}

}  // namespace mhe::heads

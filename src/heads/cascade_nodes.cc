// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/cascade_nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include <mhe/label_space.h>

#include "base/check.h"
#include "heads/flat_pass.h"
#include "heads/projection.h"
#include "heads/row_table.h"

namespace mhe::heads {
namespace {

// Parents of an example at a level of this many, in the mean over rows and orders: K, or all true
// ones if these are more.
double mean_parents(const Ragged<LabelId>& labels, double candidates, double num_nodes) {
  double sum = 0;
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    const auto num_labels = static_cast<double>(labels[row].size());
    const double true_nodes = -num_nodes * std::expm1(num_labels * std::log1p(-1 / num_nodes));
    sum += std::max(candidates, true_nodes);
  }
  return sum / static_cast<double>(labels.rows());
}

// What a step holds for an example: scores of its candidates' children, gradients of its pairs,
// and the first scores again, by example.
double floats_per_example(const HeadSpec& spec, const CascadeNodes& nodes,
                          const Ragged<LabelId>& labels) {
  const auto most = static_cast<double>(std::get<CascadeSpec>(spec.own).candidates);
  const auto width = static_cast<double>(spec.inner_width());
  double floats = 2.0 * static_cast<double>(nodes.length(0));
  for (std::size_t level = 1; level < nodes.num_levels(); ++level) {
    const auto length = static_cast<double>(nodes.length(level));
    const auto num_parents = static_cast<double>(nodes.num_nodes(level - 1));
    const double candidates = std::min(most, num_parents);
    const double parents = mean_parents(labels, candidates, num_parents);
    const bool keeps_scores = spec.loss == Loss::kSoftmax || level + 1 < nodes.num_levels();
    floats += candidates * length + parents * width;
    if (keeps_scores) floats += (parents - candidates) * length;
    if (spec.inner_width() != spec.dim) floats += 2 * width;  // projected features, their gradient
  }
  return floats;
}

}  // namespace

std::uint64_t most_parents(std::span<const std::uint32_t> lengths) {
  std::uint64_t parents = 1;
  for (const std::uint32_t length : lengths.first(lengths.size() - 1)) parents *= length;
  return parents;
}

CascadeNodes::CascadeNodes(const HeadSpec& spec)
    : lengths_(spec.lengths.begin(), spec.lengths.end()), end_(spec.num_labels) {
  require(lengths_.size() >= 2, "a cascade has at least two lengths, got {}", lengths_.size());
  // Refuses lengths of 0 and lengths that do not cover the labels.
  const LabelSpace space(spec.num_labels, spec.lengths);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  require(space.capacity() && *space.capacity() <= kMost,
          "a cascade of {} has a row for each of its numbers; at most {} are supported",
          space.describe(), kMost);
  const auto& cascade = std::get<CascadeSpec>(spec.own);
  const std::uint64_t parents = most_parents(spec.lengths);
  require(cascade.candidates >= 1 && cascade.candidates <= parents,
          "{} candidates of {} groups: it must be 1 to {}", cascade.candidates, parents, parents);
  require(cascade.parent_power >= 0 && cascade.parent_power <= 100,
          "parent power {}: it must be 0 to 100", cascade.parent_power);
  require(spec.inner_width() <= spec.dim,
          "inner width {}: it must be 1 to the width of the features, {}", spec.inner_width(),
          spec.dim);
  strides_.resize(lengths_.size());
  for (std::size_t level = lengths_.size(); level-- > 0;) {
    strides_[level] = num_positions_;
    num_positions_ *= lengths_[level];
  }
}

std::uint64_t cascade_weight_bytes(const HeadSpec& spec) {
  const CascadeNodes nodes(spec);
  const std::size_t width = spec.inner_width();
  std::uint64_t bytes = RowTable::weight_bytes(nodes.num_nodes(0), spec.dim);
  for (std::size_t level = 1; level < nodes.num_levels(); ++level) {
    bytes += RowTable::weight_bytes(nodes.num_nodes(level), width);
    if (width != spec.dim) bytes += Projection::weight_bytes(width, spec.dim);
  }
  return bytes;
}

std::uint64_t cascade_training_bytes(const HeadSpec& spec, const BatchShape& shape) {
  const CascadeNodes nodes(spec);
  const std::size_t width = spec.inner_width();
  std::uint64_t bytes = FlatPass::work_bytes(1, nodes.length(0), spec.dim, shape.batch) +
                        RowTable::training_bytes(nodes.num_nodes(0), spec.dim, shape.rule);
  for (std::size_t level = 1; level < nodes.num_levels(); ++level) {
    bytes += RowTable::training_bytes(nodes.num_nodes(level), width, shape.rule);
    if (width != spec.dim) bytes += Projection::training_bytes(width, spec.dim);
  }
  // The levels take turns with the gradient of a projection.
  if (width != spec.dim) bytes += sizeof(float) * width * spec.dim;
  return bytes + static_cast<std::uint64_t>(sizeof(float) * static_cast<double>(shape.batch) *
                                            floats_per_example(spec, nodes, shape.labels));
}

}  // namespace mhe::heads

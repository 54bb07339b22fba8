// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/sparse_cascade.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace mhe::heads {
namespace {

void shrink_to_best(std::vector<ScoredNode>& nodes, std::size_t k) {
  if (nodes.size() <= k) return;
  std::nth_element(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(k), nodes.end(),
                   better);
  nodes.resize(k);
}

float worst_score(std::span<const ScoredNode> nodes) noexcept {
  return std::max_element(nodes.begin(), nodes.end(), better)->score;
}

// The margin below which path * score_of_margin(margin) cannot reach `least`. The exponential is
// the dearest part of a child, and most of them have no chance.
float margin_to_reach(float least, float path) noexcept {
  // Rounding: the exponent, -shortfall^3, is off by some 1e-7 of itself, its logarithm by as much.
  constexpr float kSlack = 1e-5F;
  const float exponent = std::max(0.0F, std::log(path / least)) * (1 + kSlack) + kSlack;
  return 1.0F - std::cbrt(exponent);
}

// Scores of all children of the beam's nodes.
void score_children(const SparseLevelView& level, const SparseRow& query, BeamScratch& scratch) {
  const LevelShape& shape = level.shape;
  std::sort(scratch.beam.begin(), scratch.beam.end(),
            [](const ScoredNode& a, const ScoredNode& b) { return a.node < b.node; });
  scratch.blocks.clear();
  for (const ScoredNode& parent : scratch.beam) {
    for (std::size_t i = 0; i < shape.blocks_per_parent; ++i) {
      scratch.blocks.push_back(
          static_cast<std::uint32_t>(parent.node * shape.blocks_per_parent + i));
    }
  }
  const std::size_t needed = scratch.blocks.size() * shape.lanes();
  if (scratch.scores.size() < needed) scratch.scores.resize(needed);
  score_blocks(level, query, scratch.blocks, scratch.level, scratch.scores);
}

// Replaces the beam by the k best children of its nodes, in no order.
void expand(const SparseLevelView& level, const SparseRow& query, std::size_t k, float parent_power,
            BeamScratch& scratch) {
  const LevelShape& shape = level.shape;
  score_children(level, query, scratch);
  scratch.next.clear();
  // How many children pass depends on the query; what they can need at most does not.
  const std::size_t most = std::min(k, scratch.blocks.size() * shape.block_width);
  scratch.next.reserve(most + shape.block_width);
  scratch.beam.reserve(most + shape.block_width);  // they change places
  for (std::size_t i = 0; i < scratch.blocks.size(); ++i) {
    const ScoredNode& parent = scratch.beam[i / shape.blocks_per_parent];
    const float path = parent_power == 1.0F ? parent.score : std::pow(parent.score, parent_power);
    const bool full = k > 0 && scratch.next.size() == k;
    const float least_margin = full ? margin_to_reach(worst_score(scratch.next), path)
                                    : -std::numeric_limits<float>::infinity();
    const ChildRange children = shape.children_of_block(scratch.blocks[i]);
    const std::size_t first = parent.node * shape.children_per_parent + children.begin;
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - (children.end - children.begin));
    for (std::uint64_t rest = level.present[scratch.blocks[i]] & all; rest != 0; rest &= rest - 1) {
      const auto child = static_cast<std::size_t>(std::countr_zero(rest));
      const float margin = scratch.scores[i * shape.lanes() + child];
      if (margin < least_margin) continue;
      scratch.next.push_back({path * score_of_margin(margin), first + child});
    }
    shrink_to_best(scratch.next, k);
  }
  std::swap(scratch.beam, scratch.next);
}

}  // namespace

float score_of_margin(float margin) noexcept {
  const float shortfall = std::max(0.0F, 1.0F - margin);
  return std::exp(-shortfall * shortfall * shortfall);
}

void search_beam(std::span<const SparseLevelView> levels, const SparseRow& query, std::size_t k,
                 const BeamOptions& options, BeamScratch& scratch) {
  scratch.beam.assign(1, {1.0F, 0});
  scratch.best.clear();
  for (std::size_t h = 0; h < levels.size(); ++h) {
    const bool last = h + 1 == levels.size();
    expand(levels[h], query, last ? k : options.beam, last && h > 0 ? options.parent_power : 1.0F,
           scratch);
    if (scratch.beam.empty()) break;
    const auto best = std::min_element(scratch.beam.begin(), scratch.beam.end(), better);
    scratch.best.push_back(static_cast<std::uint32_t>(best->node));
  }
  std::sort(scratch.beam.begin(), scratch.beam.end(), better);
}

}  // namespace mhe::heads

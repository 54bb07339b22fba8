// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/sparse_cascade.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mhe::heads {
namespace {

void keep_best(std::vector<ScoredNode>& nodes, std::size_t k) {
  k = std::min(k, nodes.size());
  const auto middle = nodes.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(nodes.begin(), middle, nodes.end(), better);
  nodes.resize(k);
  std::sort(nodes.begin(), nodes.end(), better);
}

// Replaces the beam by all children of its nodes.
void expand(const SparseLevelView& level, const SparseRow& query, float parent_power,
            BeamScratch& scratch) {
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
  const std::size_t needed = scratch.blocks.size() * shape.block_width;
  if (scratch.scores.size() < needed) scratch.scores.resize(needed);
  score_blocks(level, query, scratch.blocks, scratch.scores);
  scratch.next.clear();
  for (std::size_t i = 0; i < scratch.blocks.size(); ++i) {
    const ScoredNode& parent = scratch.beam[i / shape.blocks_per_parent];
    const float path = parent_power == 1.0F ? parent.score : std::pow(parent.score, parent_power);
    const std::size_t first =
        parent.node * shape.children_per_parent + i % shape.blocks_per_parent * shape.block_width;
    for (std::uint64_t rest = level.present[scratch.blocks[i]]; rest != 0; rest &= rest - 1) {
      const auto child = static_cast<std::size_t>(std::countr_zero(rest));
      const float margin = scratch.scores[i * shape.block_width + child];
      scratch.next.push_back({path * score_of_margin(margin), first + child});
    }
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
  for (std::size_t h = 0; h < levels.size(); ++h) {
    const bool last = h + 1 == levels.size();
    expand(levels[h], query, last && h > 0 ? options.parent_power : 1.0F, scratch);
    keep_best(scratch.beam, last ? k : options.beam);
  }
}

}  // namespace mhe::heads

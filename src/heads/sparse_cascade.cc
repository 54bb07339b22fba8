// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/sparse_cascade.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

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
  if (least == 0) return -std::numeric_limits<float>::infinity();  // any child is as good
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

// The parents of the beam, best first: the sooner good children are known, the more of the others
// need no score.
void order_parents(BeamScratch& scratch) {
  scratch.parents.reserve(scratch.beam.capacity());  // which does not depend on the query
  scratch.parents.resize(scratch.beam.size());
  std::iota(scratch.parents.begin(), scratch.parents.end(), 0U);
  std::sort(scratch.parents.begin(), scratch.parents.end(), [&](std::uint32_t a, std::uint32_t b) {
    return better(scratch.beam[a], scratch.beam[b]);
  });
}

// Bits of the margins that are not below the least.
std::uint64_t margins_from(std::span<const float> margins, float least) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    bits |= static_cast<std::uint64_t>(!(margins[i] < least)) << i;
  }
  return bits;
}

// Adds those children of the beam's node `parent` to scratch.next that can be among the k best, and
// keeps the k best there. `path` is what a child's score is multiplied by.
void add_children(const SparseLevelView& level, std::size_t k, std::size_t parent, float path,
                  BeamScratch& scratch) {
  const LevelShape& shape = level.shape;
  for (std::size_t i = 0; i < shape.blocks_per_parent; ++i) {
    float least_margin = -std::numeric_limits<float>::infinity();
    if (k > 0 && scratch.next.size() == k) {
      const float worst = worst_score(scratch.next);
      if (path < worst) return;
      least_margin = margin_to_reach(worst, path);
    }
    const std::size_t slot = parent * shape.blocks_per_parent + i;
    const ChildRange children = shape.children_of_block(scratch.blocks[slot]);
    const std::size_t first =
        scratch.beam[parent].node * shape.children_per_parent + children.begin;
    const std::span margins(scratch.scores.data() + slot * shape.lanes(),
                            children.end - children.begin);
    std::uint64_t rest = level.present[scratch.blocks[slot]] & margins_from(margins, least_margin);
    for (; rest != 0; rest &= rest - 1) {
      const auto child = static_cast<std::size_t>(std::countr_zero(rest));
      scratch.next.push_back({path * score_of_margin(margins[child]), first + child});
    }
    shrink_to_best(scratch.next, k);
  }
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
  order_parents(scratch);
  for (const std::uint32_t parent : scratch.parents) {
    const float score = scratch.beam[parent].score;
    add_children(level, k, parent, parent_power == 1.0F ? score : std::pow(score, parent_power),
                 scratch);
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
  // The memory of all levels is asked for early: each level's arrives while the one before is
  // scored.
  for (const SparseLevelView& level : levels) {
    kernels::prefetch_places(level.records, query.columns);
  }
  if (!levels.empty()) kernels::prefetch_postings(levels[0].records, query.columns);
  for (std::size_t h = 0; h < levels.size(); ++h) {
    if (h + 1 < levels.size()) kernels::prefetch_postings(levels[h + 1].records, query.columns);
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

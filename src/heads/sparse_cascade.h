// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The cascade head over the sparse input itself: a tree of linear classifiers, searched by a beam.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/ids.h>

#include "heads/sparse_level.h"

namespace mhe::heads {

/// A node of a level, or a label's position at the last one, with its score.
struct ScoredNode {
  float score = 0;
  std::uint64_t node = 0;
};

/// Best first; equal scores by the smaller node.
[[nodiscard]] constexpr bool better(const ScoredNode& a, const ScoredNode& b) noexcept {
  return a.score != b.score ? a.score > b.score : a.node < b.node;
}

struct BeamOptions {
  std::size_t beam = 10;      ///< nodes kept at each level but the last
  float parent_power = 1.0F;  ///< how much the path counts at the last level: parent^power * child
};

/// Memory of a search, kept between calls. One per thread.
struct BeamScratch {
  std::vector<ScoredNode> beam;
  std::vector<ScoredNode> next;
  std::vector<std::uint32_t> best;  ///< [level]: its best node, as far as there are any
  std::vector<std::uint32_t> parents;
  std::vector<std::uint32_t> blocks;
  std::vector<float> scores;
  LevelScratch level;
};

/// Searches the first levels.size() levels of a cascade; the `k` best nodes of the last of them are
/// left in scratch.beam, best first. Nodes of level h are numbered parent * n_h + digit.
void search_beam(std::span<const SparseLevelView> levels, const SparseRow& query, std::size_t k,
                 const BeamOptions& options, BeamScratch& scratch);

/// The score of a margin, in (0, 1]: exp(-max(0, 1 - z)^3), near a probability for squared hinge.
[[nodiscard]] float score_of_margin(float margin) noexcept;

}  // namespace mhe::heads

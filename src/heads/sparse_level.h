// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The weights of one level of a sparse cascade, laid out by feature: a query looks each of its
// features up once for all parents in the beam.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/input.h>

#include "heads/node_solver.h"
#include "kernels/record_scores.h"

namespace mhe::heads {

/// How the children of a level's parents are cut into blocks of at most 64.
struct LevelShape {
  std::size_t num_parents = 1;
  std::size_t children_per_parent = 1;
  std::size_t blocks_per_parent = 1;
  std::size_t block_width = 1;  ///< children a block; the last block of a parent may have fewer

  [[nodiscard]] static LevelShape of(std::size_t num_parents, std::size_t children_per_parent);
  [[nodiscard]] std::size_t num_blocks() const noexcept { return num_parents * blocks_per_parent; }
  [[nodiscard]] std::size_t mask_bytes() const noexcept { return (block_width + 7) / 8; }
  /// Places that the scores of a block take.
  [[nodiscard]] std::size_t lanes() const noexcept { return 8 * mask_bytes(); }
  [[nodiscard]] ChildRange children_of_block(std::size_t block) const noexcept;
};

/// A level as spans, over vectors while training and over a mapped file afterwards. The records of
/// a feature lie side by side, as kernels/record_scores.h says.
struct SparseLevelView {
  LevelShape shape;
  kernels::RecordTable records;
  std::span<const float> bias;             ///< [block][block_width]
  std::span<const std::uint64_t> present;  ///< [block]: children that can be predicted

  [[nodiscard]] std::size_t num_features() const noexcept { return records.num_features(); }
};

/// A level that owns its arrays.
struct SparseLevel {
  LevelShape shape;
  std::vector<std::uint32_t> posting_begin;
  std::vector<std::uint8_t> stream;
  std::vector<float> bias;
  std::vector<std::uint64_t> present;

  [[nodiscard]] SparseLevelView view() const noexcept;
};

/// Puts the blocks' weights together, a byte each; blocks[b] are the children of block b and are
/// consumed. Throws kResourceLimit if there are more than 4 GB of them.
[[nodiscard]] SparseLevel build_level(const LevelShape& shape, std::size_t num_features,
                                      std::vector<NodeWeights> blocks);

/// Memory of score_blocks(), kept between calls. One per thread.
struct LevelScratch {
  std::vector<std::uint64_t> block_bits;  // all 0 between calls
  std::vector<std::uint32_t> first_slots;
  std::vector<kernels::RecordHit> mask_hits;
  std::vector<kernels::RecordHit> pair_hits;
  std::vector<std::uint16_t> pairs;
  std::vector<float> pair_values;

  /// Makes room for a query of this many features and a level of this many blocks.
  void reserve(std::size_t query_size, std::size_t num_blocks);
};

/// Scores w.x + b of the children of `blocks` (ascending) into scores[i * lanes() + child]; what
/// lies behind a block's last child is of no meaning. The query's features beyond num_features()
/// have no weights. Sums run in feature order. Allocates nothing once the scratch has seen as large
/// a query and level.
void score_blocks(const SparseLevelView& level, const SparseRow& query,
                  std::span<const std::uint32_t> blocks, LevelScratch& scratch,
                  std::span<float> scores);

}  // namespace mhe::heads

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

#include "heads/node_solver.h"
#include "matrix/sparse.h"

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
  [[nodiscard]] ChildRange children_of_block(std::size_t block) const noexcept;
};

/// 64 consecutive blocks of one feature: which of them have a record, and where these begin.
struct BlockWord {
  std::uint64_t bits = 0;
  std::uint32_t first_record = 0;
  std::uint32_t index = 0;  ///< blocks [64 * index, 64 * index + 64)
};
static_assert(sizeof(BlockWord) == 16);

/// A level as spans, over vectors while training and over a mapped file afterwards.
///
/// Feature f has the words [word_begin[f], word_begin[f+1]), by ascending index. Record r lies at
/// stream[record_begin[r]]: the mask of children in mask_bytes bytes, little-endian, then a
/// bfloat16 weight for each bit that is set.
struct SparseLevelView {
  LevelShape shape;
  std::span<const std::uint32_t> word_begin;
  std::span<const BlockWord> words;
  std::span<const std::uint32_t> record_begin;
  std::span<const std::uint8_t> stream;
  std::span<const float> bias;             ///< [block][block_width]
  std::span<const std::uint64_t> present;  ///< [block]: children that can be predicted

  [[nodiscard]] std::size_t num_features() const noexcept { return word_begin.size() - 1; }
};

/// A level that owns its arrays.
struct SparseLevel {
  LevelShape shape;
  std::vector<std::uint32_t> word_begin;
  std::vector<BlockWord> words;
  std::vector<std::uint32_t> record_begin;
  std::vector<std::uint8_t> stream;
  std::vector<float> bias;
  std::vector<std::uint64_t> present;

  [[nodiscard]] SparseLevelView view() const noexcept;
};

/// Puts the blocks' weights together; blocks[b] are the children of block b and are consumed.
[[nodiscard]] SparseLevel build_level(const LevelShape& shape, std::size_t num_features,
                                      std::vector<NodeWeights> blocks);

/// Scores w.x + b of the children of `blocks` (ascending) into scores[i * block_width + child]. The
/// query's features beyond num_features() have no weights. Sums run in feature order. Allocates
/// nothing.
void score_blocks(const SparseLevelView& level, const SparseRow& query,
                  std::span<const std::uint32_t> blocks, std::span<float> scores) noexcept;

/// The meaning of score_blocks for one child, searched plainly.
[[nodiscard]] float score_child_reference(const SparseLevelView& level, const SparseRow& query,
                                          std::size_t block, std::size_t child);

}  // namespace mhe::heads

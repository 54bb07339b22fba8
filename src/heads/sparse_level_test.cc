// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/sparse_level.h"

#include <bit>

#include <gtest/gtest.h>

#include "base/random.h"
#include "each_target.h"
#include "score_child_reference.h"

namespace mhe::heads {
namespace {

constexpr std::size_t kFeatures = 50;

// A block that has a record of one feature in `rarity`.
NodeWeights random_block(const ChildRange& children, std::uint64_t index, std::uint64_t rarity) {
  RandomStream random(9, "sparse_level_test", index);
  NodeWeights block;
  const std::uint32_t width = children.end - children.begin;
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - width);
  block.present = random() & all;
  for (std::uint32_t child = 0; child < width; ++child) {
    block.bias.push_back(static_cast<float>(random.uniform()));
  }
  for (std::uint32_t feature = 0; feature < kFeatures; ++feature) {
    const std::uint64_t mask = random() & random() & all;
    if (mask == 0 || random.below(rarity) != 0) continue;
    block.features.push_back(feature);
    block.masks.push_back(mask);
    for (int i = 0; i < std::popcount(mask); ++i) {
      block.values.push_back(static_cast<float>(random.uniform() - 0.5));
    }
  }
  return block;
}

TEST(LevelShape, CutsManyChildrenIntoEvenBlocks) {
  const LevelShape shape = LevelShape::of(3, 107);
  EXPECT_EQ(shape.blocks_per_parent, 2U);
  EXPECT_EQ(shape.block_width, 54U);
  EXPECT_EQ(shape.children_of_block(3).begin, 54U);
  EXPECT_EQ(shape.children_of_block(3).end, 107U);
  EXPECT_EQ(LevelShape::of(1, 64).blocks_per_parent, 1U);
}

SparseLevel random_level(const LevelShape& shape, std::uint64_t rarity) {
  std::vector<NodeWeights> blocks;
  for (std::size_t b = 0; b < shape.num_blocks(); ++b) {
    blocks.push_back(random_block(shape.children_of_block(b), b, rarity));
  }
  return build_level(shape, kFeatures, std::move(blocks));
}

// Compares the scores of blocks with the plain search.
void expect_reference(const SparseLevel& level, std::span<const std::uint32_t> blocks,
                      LevelScratch& scratch, bool fused) {
  const LevelShape& shape = level.shape;
  const std::vector<std::uint32_t> columns = {0, 3, 17, 18, 49, 60};  // 60: unknown to the level
  const std::vector<float> values = {0.5F, -1.0F, 2.0F, 0.25F, 1.0F, 3.0F};
  const SparseRow query = {columns, values};
  std::vector<float> scores(blocks.size() * shape.lanes());
  score_blocks(level.view(), query, blocks, scratch, scores);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ChildRange range = shape.children_of_block(blocks[i]);
    for (std::size_t child = 0; child < range.end - range.begin; ++child) {
      const float expected = testing::score_child_reference(level.view(), query, blocks[i], child);
      // Five roundings more of sums below 8.
      EXPECT_NEAR(scores[i * shape.lanes() + child], expected, fused ? 0 : 5e-6)
          << "block " << blocks[i] << ", child " << child;
    }
  }
}

TEST(ScoreBlocks, EqualsTheReference) {
  LevelScratch scratch;
  for (const std::size_t parents : {1U, 5U, 31U, 130U, 300U, 1100U}) {
    for (const std::size_t children : {1U, 8U, 33U, 64U, 100U}) {
      for (const std::uint64_t rarity : {1U, 2U, 60U}) {  // bitmaps, longer and shorter lists
        if (parents == 1100 && children > 8) continue;
        const LevelShape shape = LevelShape::of(parents, children);
        SCOPED_TRACE(::testing::Message() << parents << " x " << children << ", 1 in " << rarity);
        const SparseLevel level = random_level(shape, rarity);
        std::vector<std::uint32_t> most;
        for (std::uint32_t b = 0; b < shape.num_blocks(); b += 1 + b % 3) most.push_back(b);
        std::vector<std::uint32_t> few;  // spread over all words of the bitmaps
        for (std::size_t i = 0; i < most.size(); i += 1 + most.size() / 7) few.push_back(most[i]);
        testing::for_each_target([&](std::int64_t target) {
          expect_reference(level, most, scratch, testing::has_fma(target));
          expect_reference(level, few, scratch, testing::has_fma(target));
        });
      }
    }
  }
}

}  // namespace
}  // namespace mhe::heads

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/sparse_level.h"

#include <bit>

#include <gtest/gtest.h>

#include "base/random.h"

namespace mhe::heads {
namespace {

constexpr std::size_t kFeatures = 50;

NodeWeights random_block(const ChildRange& children, std::uint64_t index) {
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
    if (mask == 0 || random.below(4) == 0) continue;
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

TEST(ScoreBlocks, EqualsTheReference) {
  LevelScratch scratch;
  for (const std::size_t parents : {1U, 5U, 130U, 300U}) {
    for (const std::size_t children : {1U, 8U, 33U, 64U, 100U}) {
      const LevelShape shape = LevelShape::of(parents, children);
      std::vector<NodeWeights> blocks;
      for (std::size_t b = 0; b < shape.num_blocks(); ++b) {
        blocks.push_back(random_block(shape.children_of_block(b), b));
      }
      const SparseLevel level = build_level(shape, kFeatures, std::move(blocks));
      const std::vector<std::uint32_t> columns = {0,  3,  17,
                                                  18, 49, 60};  // 60: unknown to the level
      const std::vector<float> values = {0.5F, -1.0F, 2.0F, 0.25F, 1.0F, 3.0F};
      const SparseRow query = {columns, values};
      std::vector<std::uint32_t> chosen;
      for (std::uint32_t b = 0; b < shape.num_blocks(); b += 1 + b % 3) chosen.push_back(b);
      std::vector<float> scores(chosen.size() * shape.lanes());
      score_blocks(level.view(), query, chosen, scratch, scores);
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const ChildRange range = shape.children_of_block(chosen[i]);
        for (std::size_t child = 0; child < range.end - range.begin; ++child) {
          EXPECT_EQ(scores[i * shape.lanes() + child],
                    score_child_reference(level.view(), query, chosen[i], child));
        }
      }
    }
  }
}

}  // namespace
}  // namespace mhe::heads

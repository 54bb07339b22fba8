// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/sparse_cascade.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "score_child_reference.h"

namespace mhe::heads {
namespace {

constexpr std::size_t kFeatures = 40;

// Margins about `bias`; a child in eight cannot be predicted.
SparseLevel random_level(const LevelShape& shape, std::uint64_t seed, double bias) {
  std::vector<NodeWeights> blocks(shape.num_blocks());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    RandomStream random(seed, "sparse_cascade_test", b);
    const ChildRange children = shape.children_of_block(b);
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - (children.end - children.begin));
    blocks[b].present = all & (random() | random() | random());
    for (std::uint32_t child = children.begin; child < children.end; ++child) {
      blocks[b].bias.push_back(static_cast<float>(bias + random.uniform()));
    }
    for (std::uint32_t feature = 0; feature < kFeatures; ++feature) {
      const std::uint64_t mask = all & random() & random();
      if (mask == 0) continue;
      blocks[b].features.push_back(feature);
      blocks[b].masks.push_back(mask);
      for (int i = 0; i < std::popcount(mask); ++i) {
        blocks[b].values.push_back(static_cast<float>(random.uniform() - 0.5));
      }
    }
  }
  return build_level(shape, kFeatures, std::move(blocks));
}

// The meaning of search_beam: every child is scored, and all are sorted.
std::vector<ScoredNode> search_plainly(std::span<const SparseLevelView> levels,
                                       const SparseRow& query, std::size_t k,
                                       const BeamOptions& options) {
  std::vector<ScoredNode> beam = {{1.0F, 0}};
  for (std::size_t h = 0; h < levels.size(); ++h) {
    const LevelShape& shape = levels[h].shape;
    const bool is_last = h + 1 == levels.size();
    std::vector<ScoredNode> next;
    for (const ScoredNode& parent : beam) {
      const float power = is_last && h > 0 ? options.parent_power : 1.0F;
      for (std::size_t child = 0; child < shape.children_per_parent; ++child) {
        const std::size_t block = parent.node * shape.blocks_per_parent + child / shape.block_width;
        const std::size_t lane = child % shape.block_width;
        if ((levels[h].present[block] >> lane & 1U) == 0) continue;
        const float margin = testing::score_child_reference(levels[h], query, block, lane);
        next.push_back({std::pow(parent.score, power) * score_of_margin(margin),
                        parent.node * shape.children_per_parent + child});
      }
    }
    std::sort(next.begin(), next.end(), better);
    next.resize(std::min(next.size(), is_last ? k : options.beam));
    beam = std::move(next);
  }
  return beam;
}

void expect_plain_search(double bias) {
  std::vector<SparseLevel> levels;
  levels.push_back(random_level(LevelShape::of(1, 6), 1, bias));
  levels.push_back(random_level(LevelShape::of(6, 70), 2, bias));
  levels.push_back(random_level(LevelShape::of(420, 9), 3, bias));
  const std::vector<SparseLevelView> views = {levels[0].view(), levels[1].view(), levels[2].view()};
  const std::vector<std::uint32_t> columns = {1, 5, 6, 20, 39};
  const std::vector<float> values = {0.5F, 0.25F, 1.0F, -0.5F, 2.0F};
  BeamScratch scratch;
  for (const std::size_t beam : {1U, 3U, 10U, 200U}) {
    for (const std::size_t k : {0U, 1U, 5U, 100U}) {
      for (const float power : {1.0F, 0.25F}) {
        const BeamOptions options = {.beam = beam, .parent_power = power};
        search_beam(views, {columns, values}, k, options, scratch);
        const std::vector<ScoredNode> expected =
            search_plainly(views, {columns, values}, k, options);
        ASSERT_EQ(scratch.beam.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_EQ(scratch.beam[i].node, expected[i].node) << "beam " << beam << ", place " << i;
          // A sum is not rounded as in the reference where there is no fused multiply-add.
          EXPECT_NEAR(scratch.beam[i].score, expected[i].score, 1e-5F * expected[i].score);
        }
      }
    }
  }
}

TEST(SearchBeam, FindsWhatAPlainSearchFinds) {
  expect_plain_search(0);
}

// Scores below the least float are 0, and so are those of all their children.
TEST(SearchBeam, OrdersNodesOfScoreZeroByTheirNumber) {
  expect_plain_search(-4.5);
}

}  // namespace
}  // namespace mhe::heads

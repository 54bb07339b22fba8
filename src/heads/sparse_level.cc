// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/sparse_level.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "base/checked.h"
#include "matrix/bfloat16.h"

namespace mhe::heads {
namespace {

constexpr std::size_t kMaxBlockWidth = 64;
constexpr std::size_t kBlocksPerWord = 64;

std::uint64_t load_mask(const std::uint8_t* record, std::size_t mask_bytes) noexcept {
  std::uint64_t mask = 0;
  std::memcpy(&mask, record, mask_bytes);
  return mask;
}

// Adds one record to the scores of its block.
void add_record(const std::uint8_t* record, std::size_t mask_bytes, float value,
                float* scores) noexcept {
  const std::uint8_t* weight = record + mask_bytes;
  for (std::uint64_t mask = load_mask(record, mask_bytes); mask != 0; mask &= mask - 1) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, weight, sizeof bits);
    weight += sizeof bits;
    scores[std::countr_zero(mask)] += value * from_bfloat16(bits);
  }
}

}  // namespace

LevelShape LevelShape::of(std::size_t num_parents, std::size_t children_per_parent) {
  LevelShape shape;
  shape.num_parents = num_parents;
  shape.children_per_parent = children_per_parent;
  shape.blocks_per_parent = (children_per_parent + kMaxBlockWidth - 1) / kMaxBlockWidth;
  shape.block_width = (children_per_parent + shape.blocks_per_parent - 1) / shape.blocks_per_parent;
  return shape;
}

ChildRange LevelShape::children_of_block(std::size_t block) const noexcept {
  const std::size_t begin = block % blocks_per_parent * block_width;
  const std::size_t end = std::min(children_per_parent, begin + block_width);
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

SparseLevelView SparseLevel::view() const noexcept {
  return {shape, word_begin, words, record_begin, stream, bias, present};
}

SparseLevel build_level(const LevelShape& shape, std::size_t num_features,
                        std::vector<NodeWeights> blocks) {
  MHE_ASSERT(blocks.size() == shape.num_blocks());
  SparseLevel level;
  level.shape = shape;
  for (const NodeWeights& block : blocks) {
    level.present.push_back(block.present);
    level.bias.insert(level.bias.end(), block.bias.begin(), block.bias.end());
    level.bias.resize(level.present.size() * shape.block_width, 0.0F);
  }
  // Blocks are walked side by side, feature by feature: each keeps its place. The blocks of a
  // feature are gathered first, so that a feature costs its records, not the number of blocks.
  std::vector<std::uint32_t> counts(num_features + 1, 0);
  for (const NodeWeights& block : blocks) {
    for (const std::uint32_t feature : block.features) ++counts[feature + 1];
  }
  for (std::size_t f = 0; f < num_features; ++f) {
    counts[f + 1] = checked_add(counts[f + 1], counts[f], "records of a level");
  }
  struct Place {
    std::uint32_t block = 0;
    std::uint32_t record = 0;
  };
  std::vector<Place> places(counts.back());
  std::vector<std::uint32_t> next(counts.begin(), counts.end() - 1);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::size_t r = 0; r < blocks[b].features.size(); ++r) {
      places[next[blocks[b].features[r]]++] = {static_cast<std::uint32_t>(b),
                                               static_cast<std::uint32_t>(r)};
    }
  }
  std::vector<std::uint64_t> value_at(blocks.size(), 0);  // records of a block come in order
  const std::size_t mask_bytes = shape.mask_bytes();
  level.word_begin.reserve(num_features + 1);
  for (std::size_t f = 0; f < num_features; ++f) {
    level.word_begin.push_back(checked_cast<std::uint32_t>(level.words.size(), "words of a level"));
    for (std::uint32_t at = counts[f]; at < counts[f + 1]; ++at) {
      const Place place = places[at];
      const auto index = static_cast<std::uint32_t>(place.block / kBlocksPerWord);
      if (level.words.size() == level.word_begin.back() || level.words.back().index != index) {
        level.words.push_back({0, at, index});
      }
      level.words.back().bits |= std::uint64_t{1} << place.block % kBlocksPerWord;
      level.record_begin.push_back(
          checked_cast<std::uint32_t>(level.stream.size(), "bytes of a level"));
      const NodeWeights& block = blocks[place.block];
      const std::uint64_t mask = block.masks[place.record];
      const auto* mask_data = reinterpret_cast<const std::uint8_t*>(&mask);
      level.stream.insert(level.stream.end(), mask_data, mask_data + mask_bytes);
      for (int i = 0; i < std::popcount(mask); ++i) {
        const std::uint16_t bits = to_bfloat16(block.values[value_at[place.block]++]);
        level.stream.push_back(static_cast<std::uint8_t>(bits & 0xFF));
        level.stream.push_back(static_cast<std::uint8_t>(bits >> 8));
      }
    }
  }
  level.word_begin.push_back(checked_cast<std::uint32_t>(level.words.size(), "words of a level"));
  return level;
}

void score_blocks(const SparseLevelView& level, const SparseRow& query,
                  std::span<const std::uint32_t> blocks, std::span<float> scores) noexcept {
  const std::size_t width = level.shape.block_width;
  const std::size_t mask_bytes = level.shape.mask_bytes();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::copy_n(level.bias.data() + blocks[i] * width, width, scores.data() + i * width);
  }
  for (std::size_t t = 0; t < query.size(); ++t) {
    const std::uint32_t feature = query.columns[t];
    if (feature >= level.num_features()) continue;
    const BlockWord* word = level.words.data() + level.word_begin[feature];
    const BlockWord* const end = level.words.data() + level.word_begin[feature + 1];
    for (std::size_t i = 0; i < blocks.size() && word != end; ++i) {
      const std::uint32_t block = blocks[i];
      while (word != end && word->index < block / kBlocksPerWord) ++word;
      if (word == end || word->index != block / kBlocksPerWord) continue;
      const std::uint64_t bit = std::uint64_t{1} << block % kBlocksPerWord;
      if ((word->bits & bit) == 0) continue;
      const std::size_t record =
          word->first_record + static_cast<std::size_t>(std::popcount(word->bits & (bit - 1)));
      add_record(level.stream.data() + level.record_begin[record], mask_bytes, query.values[t],
                 scores.data() + i * width);
    }
  }
}

float score_child_reference(const SparseLevelView& level, const SparseRow& query, std::size_t block,
                            std::size_t child) {
  float score = level.bias[block * level.shape.block_width + child];
  for (std::size_t t = 0; t < query.size(); ++t) {
    const std::uint32_t feature = query.columns[t];
    if (feature >= level.num_features()) continue;
    for (std::size_t w = level.word_begin[feature]; w < level.word_begin[feature + 1]; ++w) {
      std::size_t record = level.words[w].first_record;
      for (std::size_t b = 0; b < kBlocksPerWord; ++b) {
        if ((level.words[w].bits >> b & 1) == 0) continue;
        const std::uint8_t* data = level.stream.data() + level.record_begin[record++];
        if (level.words[w].index * kBlocksPerWord + b != block) continue;
        const std::uint64_t mask = load_mask(data, level.shape.mask_bytes());
        if ((mask >> child & 1) == 0) continue;
        const auto before =
            static_cast<std::size_t>(std::popcount(mask & ((std::uint64_t{1} << child) - 1)));
        std::uint16_t bits = 0;
        std::memcpy(&bits, data + level.shape.mask_bytes() + before * sizeof bits, sizeof bits);
        score += query.values[t] * from_bfloat16(bits);
      }
    }
  }
  return score;
}

}  // namespace mhe::heads

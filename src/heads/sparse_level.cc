// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/sparse_level.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/checked.h"
#include "matrix/bfloat16.h"

namespace mhe::heads {
namespace {

constexpr std::size_t kMaxBlockWidth = kernels::kRecordGroup * kernels::kMaxRecordGroups;
constexpr std::size_t kBlocksPerWord = 64;

// Where a block's weights of a feature are.
struct Place {
  std::uint32_t block = 0;
  std::uint32_t record = 0;
};

void put_u16(std::vector<std::uint8_t>& stream, std::size_t at, std::uint16_t value) {
  stream[at] = static_cast<std::uint8_t>(value & 0xFF);
  stream[at + 1] = static_cast<std::uint8_t>(value >> 8);
}

// Takes the weights of blocks, each from front to back, and lays them out.
class StreamBuilder {
 public:
  StreamBuilder(SparseLevel& level, std::span<const NodeWeights> blocks)
      : level_(level), blocks_(blocks), value_at_(blocks.size(), 0) {}

  // The records of one feature in 64 consecutive blocks.
  void add_word(std::span<const Place> places) {
    std::vector<std::uint8_t>& stream = level_.stream;
    const std::size_t begin = stream.size();
    if (begin >> 40U != 0) fail(ErrorCode::kResourceLimit, "a level has more than a terabyte");
    kernels::RecordWord word = {0, begin << 24U | places.front().block / kBlocksPerWord};
    stream.resize(begin + 2 * places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      word.bits |= std::uint64_t{1} << places[i].block % kBlocksPerWord;
      put_u16(stream, begin + 2 * i, static_cast<std::uint16_t>(stream.size() - begin));
      add_record(places[i]);
    }
    level_.words.push_back(word);
  }

 private:
  void add_record(const Place& place) {
    const NodeWeights& block = blocks_[place.block];
    const std::uint64_t mask = block.masks[place.record];
    std::vector<std::uint8_t>& stream = level_.stream;
    for (std::size_t i = 0; i < level_.shape.mask_bytes(); ++i) {
      stream.push_back(static_cast<std::uint8_t>(mask >> (8 * i) & 0xFF));
    }
    for (int i = 0; i < std::popcount(mask); ++i) {
      stream.resize(stream.size() + 2);
      put_u16(stream, stream.size() - 2, to_bfloat16(block.values[value_at_[place.block]++]));
    }
  }

  SparseLevel& level_;
  std::span<const NodeWeights> blocks_;
  std::vector<std::uint64_t> value_at_;  // records of a block come in order
};

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
  return {shape, {word_begin, words, stream, shape.mask_bytes()}, bias, present};
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
  std::vector<Place> places(counts.back());
  std::vector<std::uint32_t> next(counts.begin(), counts.end() - 1);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::size_t r = 0; r < blocks[b].features.size(); ++r) {
      places[next[blocks[b].features[r]]++] = {static_cast<std::uint32_t>(b),
                                               static_cast<std::uint32_t>(r)};
    }
  }
  StreamBuilder builder(level, blocks);
  level.word_begin.reserve(num_features + 1);
  for (std::size_t f = 0; f < num_features; ++f) {
    level.word_begin.push_back(checked_cast<std::uint32_t>(level.words.size(), "words of a level"));
    for (std::uint32_t at = counts[f]; at < counts[f + 1];) {
      std::uint32_t end = at + 1;
      const std::uint32_t index = places[at].block / kBlocksPerWord;
      while (end < counts[f + 1] && places[end].block / kBlocksPerWord == index) ++end;
      builder.add_word(std::span(places).subspan(at, end - at));
      at = end;
    }
  }
  level.word_begin.push_back(checked_cast<std::uint32_t>(level.words.size(), "words of a level"));
  level.stream.resize(level.stream.size() + kernels::kRecordReach, 0);
  return level;
}

void score_blocks(const SparseLevelView& level, const SparseRow& query,
                  std::span<const std::uint32_t> blocks, LevelScratch& scratch,
                  std::span<float> scores) {
  const std::size_t width = level.shape.block_width;
  const std::size_t lanes = level.shape.lanes();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::copy_n(level.bias.data() + blocks[i] * width, width, scores.data() + i * lanes);
  }
  scratch.reserve(query.size(), level.shape.num_blocks());
  kernels::RecordSearch search = {.columns = query.columns,
                                  .values = query.values,
                                  .block_bits = scratch.block_bits,
                                  .first_slots = scratch.first_slots,
                                  .cursors = scratch.cursors,
                                  .hits = scratch.hits};
  kernels::start_query(level.records, search);
  for (std::size_t first = 0; first < blocks.size(); first += kernels::kMaxRecordBlocks) {
    search.blocks = blocks.subspan(
        first, std::min<std::size_t>(kernels::kMaxRecordBlocks, blocks.size() - first));
    for (std::size_t i = search.blocks.size(); i-- > 0;) {
      const std::uint32_t word = search.blocks[i] / kBlocksPerWord;
      search.block_bits[word] |= std::uint64_t{1} << search.blocks[i] % kBlocksPerWord;
      search.first_slots[word] = static_cast<std::uint32_t>(i);
    }
    kernels::add_records(level.records, search, scores.data() + first * lanes);
    for (const std::uint32_t block : search.blocks) search.block_bits[block / kBlocksPerWord] = 0;
  }
}

void LevelScratch::reserve(std::size_t query_size, std::size_t num_blocks) {
  const std::size_t words = (num_blocks + kBlocksPerWord - 1) / kBlocksPerWord;
  const std::size_t num_hits = query_size * std::min(num_blocks, kernels::kMaxRecordBlocks);
  if (block_bits.size() < words) block_bits.resize(words, 0);
  if (first_slots.size() < words) first_slots.resize(words);
  if (cursors.size() < query_size) cursors.resize(query_size);
  if (hits.size() < num_hits) hits.resize(num_hits);
}

float score_child_reference(const SparseLevelView& level, const SparseRow& query, std::size_t block,
                            std::size_t child) {
  const kernels::RecordSearch search = {.columns = query.columns, .values = query.values};
  return kernels::add_records_reference(level.records, search, static_cast<std::uint32_t>(block),
                                        child, level.bias[block * level.shape.block_width + child]);
}

}  // namespace mhe::heads

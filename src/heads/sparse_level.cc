// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/sparse_level.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "base/checked.h"

namespace mhe::heads {
namespace {

constexpr std::size_t kMaxBlockWidth = kernels::kRecordGroup * kernels::kMaxRecordGroups;
constexpr std::size_t kBlocksPerWord = 64;

// Where a block's weights of a feature are.
struct Place {
  std::uint32_t block = 0;
  std::uint32_t record = 0;
};

template <class T>
void put(std::vector<std::uint8_t>& stream, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    stream[at + i] = static_cast<std::uint8_t>(value >> (8 * i) & 0xFF);
  }
}

template <class T>
void append(std::vector<std::uint8_t>& stream, T value) {
  stream.resize(stream.size() + sizeof value);
  put(stream, stream.size() - sizeof value, value);
}

// The byte whose square, with its sign, is nearest.
std::int8_t quantize(float weight, float scale) noexcept {
  const float root = std::sqrt(std::abs(weight) / scale);
  const float low = std::floor(root);
  // Between the squares of two neighbours the middle is where the choice changes.
  const float middle = (low * low + (low + 1) * (low + 1)) / 2;
  const float size = std::min(127.0F, root * root > middle ? low + 1 : low);
  return static_cast<std::int8_t>(weight < 0 ? -size : size);
}

// The code of the smallest scale that reaches the weight.
std::uint8_t scale_code_for(float largest) noexcept {
  int code = 0;
  while (code < 255 &&
         kernels::decode_scale(static_cast<std::uint8_t>(code)) * 127 * 127 < largest) {
    ++code;
  }
  return static_cast<std::uint8_t>(code);
}

// Lays the weights of blocks out by feature. Takes each block's from front to back.
class StreamBuilder {
 public:
  StreamBuilder(SparseLevel& level, std::span<const NodeWeights> blocks)
      : stream_(level.stream),
        table_(level.view().records),
        blocks_(blocks),
        value_at_(blocks.size(), 0) {}

  // The records of one feature, by ascending block.
  void add_posting(std::span<const Place> places) {
    if (places.empty()) return;
    const std::uint8_t code = scale_code_for(largest_of(places));
    scale_ = kernels::decode_scale(code);
    stream_.push_back(code);
    if (places.size() <= kernels::kMaxListEntries && is_list_shorter(places)) {
      add_list(places);
    } else {
      add_bitmap(places);
    }
  }

 private:
  [[nodiscard]] std::size_t count_of(const Place& place) const {
    return static_cast<std::size_t>(std::popcount(blocks_[place.block].masks[place.record]));
  }

  [[nodiscard]] float largest_of(std::span<const Place> places) const {
    float largest = 0;
    for (const Place& place : places) {
      const std::size_t first = value_at_[place.block];
      for (std::size_t i = first; i < first + count_of(place); ++i) {
        largest = std::max(largest, std::abs(blocks_[place.block].values[i]));
      }
    }
    return largest;
  }

  // In both forms the records take the same bytes.
  [[nodiscard]] bool is_list_shorter(std::span<const Place> places) const {
    std::size_t words = 1;
    for (std::size_t i = 1; i < places.size(); ++i) {
      const bool same = places[i].block / kBlocksPerWord == places[i - 1].block / kBlocksPerWord;
      words += same ? 0 : 1;
    }
    return places.size() * table_.entry_bytes() <= 1 + 16 * words + 2 * places.size();
  }

  void add_list(std::span<const Place> places) {
    stream_.push_back(static_cast<std::uint8_t>(places.size()));
    for (const Place& place : places) {
      const auto entry = static_cast<std::uint32_t>(place.block << 6U | (count_of(place) - 1));
      if (table_.entry_bytes() == 2) {
        append(stream_, static_cast<std::uint16_t>(entry));
      } else {
        append(stream_, entry);
      }
    }
    for (const Place& place : places) add_record(place);
  }

  void add_bitmap(std::span<const Place> places) {
    const std::size_t begin = stream_.size() - 1;  // behind the code
    stream_.resize(begin + 3);
    std::size_t words = 0;
    for (std::size_t i = 0; i < places.size(); ++words) {
      const auto index = static_cast<std::uint32_t>(places[i].block / kBlocksPerWord);
      std::uint64_t bits = 0;
      for (; i < places.size() && places[i].block / kBlocksPerWord == index; ++i) {
        bits |= std::uint64_t{1} << places[i].block % kBlocksPerWord;
      }
      append(stream_, bits);
      append(stream_, index);
      append(stream_, std::uint32_t{0});  // the table's distance: add_word()
    }
    if (words >> 15U != 0) fail(ErrorCode::kResourceLimit, "a level of too many nodes");
    stream_[begin + 1] = static_cast<std::uint8_t>(128 + (words >> 8U));
    stream_[begin + 2] = static_cast<std::uint8_t>(words & 0xFF);
    for (std::size_t word = 0, i = 0; word < words; ++word) {
      std::size_t end = i + 1;
      while (end < places.size() &&
             places[end].block / kBlocksPerWord == places[i].block / kBlocksPerWord) {
        ++end;
      }
      put(stream_, begin + 3 + 16 * word + 12, static_cast<std::uint32_t>(stream_.size() - begin));
      add_word(places.subspan(i, end - i));
      i = end;
    }
  }

  void add_word(std::span<const Place> places) {
    const std::size_t begin = stream_.size();
    stream_.resize(begin + 2 * places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t count = count_of(places[i]);
      const std::size_t pairs = count <= table_.max_pairs() ? count : 0;
      const std::size_t entry = pairs << 13U | (stream_.size() - begin);
      put(stream_, begin + 2 * i, static_cast<std::uint16_t>(entry));
      add_record(places[i]);
    }
  }

  void add_record(const Place& place) {
    const NodeWeights& block = blocks_[place.block];
    const std::uint64_t mask = block.masks[place.record];
    const bool is_pairs = count_of(place) <= table_.max_pairs();
    for (std::size_t i = 0; !is_pairs && i < table_.num_groups; ++i) {
      stream_.push_back(static_cast<std::uint8_t>(mask >> (8 * i) & 0xFF));
    }
    for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) {
      if (is_pairs) stream_.push_back(static_cast<std::uint8_t>(std::countr_zero(rest)));
      const float weight = block.values[value_at_[place.block]++];
      stream_.push_back(static_cast<std::uint8_t>(quantize(weight, scale_)));
    }
  }

  std::vector<std::uint8_t>& stream_;
  kernels::RecordTable table_;  // for its shape; the arrays grow
  std::span<const NodeWeights> blocks_;
  float scale_ = 1;                      // of the posting at hand
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
  return {shape, {posting_begin, stream, shape.mask_bytes(), shape.num_blocks()}, bias, present};
}

SparseLevel build_level(const LevelShape& shape, std::size_t num_features,
                        std::vector<NodeWeights> blocks) {
  MHE_ASSERT(blocks.size() == shape.num_blocks());
  // A list's entry has 26 bits for it.
  if (blocks.size() >> 26U != 0) fail(ErrorCode::kResourceLimit, "a level of too many nodes");
  SparseLevel level;
  level.shape = shape;
  for (const NodeWeights& block : blocks) {
    level.present.push_back(block.present);
    level.bias.insert(level.bias.end(), block.bias.begin(), block.bias.end());
    level.bias.resize(level.present.size() * shape.block_width, 0.0F);
  }
  // Blocks are walked side by side, feature by feature: each keeps its place. The blocks of a
  // feature are gathered first, so that a feature costs its records, not the number of blocks; for
  // some features at a time, for all records of a level are as large as the level.
  constexpr std::size_t kPlacesAtOnce = std::size_t{1} << 18U;  // 2 MB
  std::vector<std::uint32_t> counts(num_features + 1, 0);
  for (const NodeWeights& block : blocks) {
    for (const std::uint32_t feature : block.features) ++counts[feature + 1];
  }
  for (std::size_t f = 0; f < num_features; ++f) {
    counts[f + 1] = checked_add(counts[f + 1], counts[f], "records of a level");
  }
  std::vector<std::uint32_t> next(counts.begin(), counts.end() - 1);
  std::vector<std::uint32_t> next_record(blocks.size(), 0);
  std::vector<Place> places;
  StreamBuilder builder(level, blocks);
  level.posting_begin.reserve(num_features + 1);
  // More than there will be, for memory that is not written to costs nothing, and growing would
  // hold the stream twice.
  std::size_t most =
      4 * num_features + counts.back() * (sizeof(std::uint32_t) + shape.mask_bytes());
  for (const NodeWeights& block : blocks) most += block.values.size();
  level.stream.reserve(most + kernels::kRecordReach);
  for (std::size_t begin = 0, end = 0; begin < num_features; begin = end) {
    const std::size_t first = counts[begin];
    for (end = begin + 1; end < num_features && counts[end + 1] - first <= kPlacesAtOnce;) ++end;
    places.resize(counts[end] - first);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const std::vector<std::uint32_t>& features = blocks[b].features;
      std::uint32_t& record = next_record[b];
      for (; record < features.size() && features[record] < end; ++record) {
        places[next[features[record]]++ - first] = {static_cast<std::uint32_t>(b), record};
      }
    }
    for (std::size_t f = begin; f < end; ++f) {
      level.posting_begin.push_back(
          checked_cast<std::uint32_t>(level.stream.size(), "bytes of a level"));
      builder.add_posting(std::span(places).subspan(counts[f] - first, counts[f + 1] - counts[f]));
    }
  }
  level.posting_begin.push_back(
      checked_cast<std::uint32_t>(level.stream.size(), "bytes of a level"));
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
                                  .mask_hits = scratch.mask_hits,
                                  .pair_hits = scratch.pair_hits,
                                  .pairs = scratch.pairs,
                                  .pair_values = scratch.pair_values};
  for (std::size_t first = 0; first < blocks.size(); first += kernels::kMaxRecordBlocks) {
    search.blocks = blocks.subspan(
        first, std::min<std::size_t>(kernels::kMaxRecordBlocks, blocks.size() - first));
    for (std::size_t i = search.blocks.size(); i-- > 0;) {
      const std::size_t word = search.blocks[i] / kBlocksPerWord;
      search.block_bits[word] |= std::uint64_t{1} << search.blocks[i] % kBlocksPerWord;
      search.first_slots[word] = static_cast<std::uint32_t>(i);
    }
    kernels::add_records(level.records, search, scores.data() + first * lanes);
    for (const std::uint32_t block : search.blocks) search.block_bits[block / kBlocksPerWord] = 0;
  }
}

void LevelScratch::reserve(std::size_t query_size, std::size_t num_blocks) {
  const std::size_t words = (num_blocks + kBlocksPerWord - 1) / kBlocksPerWord;
  const std::size_t num_hits = (query_size + 1) * std::min(num_blocks, kernels::kMaxRecordBlocks);
  const std::size_t num_pairs = (query_size + 1) * kernels::kPairRoom;
  if (block_bits.size() < words) block_bits.resize(words, 0);
  if (first_slots.size() < words) first_slots.resize(words);
  if (mask_hits.size() < num_hits) mask_hits.resize(num_hits);
  if (pair_hits.size() < num_hits) pair_hits.resize(num_hits);
  if (pairs.size() < num_pairs) pairs.resize(num_pairs);
  if (pair_values.size() < num_pairs) pair_values.resize(num_pairs);
}

}  // namespace mhe::heads

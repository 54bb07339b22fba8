// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by record_scores.cc.
#if defined(MHE_KERNELS_RECORD_SCORES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_RECORD_SCORES_INL_H
#undef MHE_KERNELS_RECORD_SCORES_INL_H
#else
#define MHE_KERNELS_RECORD_SCORES_INL_H
#endif

#include <array>
#include <cstring>
#include <utility>

#include <hwy/highway.h>

#include "kernels/record_scores.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Eight lanes: one vector from AVX2 on, two below.
using ScoreTag = hn::CappedTag<float, kRecordGroup>;
constexpr std::size_t kScoreParts =
    kRecordGroup / HWY_MAX(1, HWY_MIN(kRecordGroup, HWY_LANES(float)));
constexpr std::uint16_t kUnresolved = 0xFFFF;
// Most records are shorter: where they end, another line of memory may have begun.
constexpr std::size_t kRecordGuess = 16;

// Places that bring packed bytes to the lanes of a mask; 0x80 gives zero.
struct ExpandTable {
  alignas(64) std::uint8_t places[256][kRecordGroup];
  alignas(64) float weights[256];  // q |q| by the byte of q
  ExpandTable() {
    for (int byte = 0; byte < 256; ++byte) {
      const int q = static_cast<std::int8_t>(byte);
      weights[byte] = static_cast<float>(q * (q < 0 ? -q : q));
    }
    for (std::size_t mask = 0; mask < 256; ++mask) {
      std::uint8_t next = 0;
      for (std::size_t lane = 0; lane < kRecordGroup; ++lane) {
        places[mask][lane] = (mask >> lane & 1) != 0 ? next++ : 0x80;
      }
    }
  }
};

template <class T>
HWY_INLINE T load(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// sums += value * weights, for the lanes of one byte of a mask; the weights are packed.
HWY_INLINE void add_group(hn::Vec<ScoreTag> value, const std::uint8_t* HWY_RESTRICT weights,
                          const std::uint8_t* HWY_RESTRICT places,
                          hn::Vec<ScoreTag>* HWY_RESTRICT sums) {
  const ScoreTag d;
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t lane = 0; lane < kRecordGroup; ++lane) {
    if (places[lane] == 0x80) continue;
    const int q = static_cast<std::int8_t>(weights[places[lane]]);
    const auto weight = hn::Set(d, static_cast<float>(q * (q < 0 ? -q : q)));
    sums[lane] = hn::MulAdd(value, weight, sums[lane]);
  }
#else
  const hn::FixedTag<std::uint8_t, kRecordGroup> d8;
  const hn::FixedTag<std::int8_t, kRecordGroup> di8;
  const hn::FixedTag<std::int16_t, kRecordGroup> di16;
  const hn::Rebind<std::int32_t, ScoreTag> di32;
  const auto packed = hn::LoadU(d8, weights);
  const auto bytes = hn::BitCast(di8, hn::TableLookupBytesOr0(packed, hn::LoadU(d8, places)));
  const auto roots = hn::PromoteTo(di16, bytes);
  const auto weight = hn::Mul(roots, hn::Abs(roots));
#if HWY_MAX_BYTES >= 32
  sums[0] = hn::MulAdd(value, hn::ConvertTo(d, hn::PromoteTo(di32, weight)), sums[0]);
#else
  const auto low = hn::PromoteTo(di32, hn::LowerHalf(weight));
  const auto high = hn::PromoteTo(di32, hn::UpperHalf(hn::Half<decltype(di16)>(), weight));
  sums[0] = hn::MulAdd(value, hn::ConvertTo(d, low), sums[0]);
  sums[1] = hn::MulAdd(value, hn::ConvertTo(d, high), sums[1]);
#endif
#endif
}

// Adds the masked records of one block to its scores, which stay in registers meanwhile.
template <std::size_t NumGroups>
HWY_INLINE void sum_masks(const std::uint8_t* HWY_RESTRICT stream, const ExpandTable& table,
                          std::span<const RecordHit> hits, float* HWY_RESTRICT scores) {
  const ScoreTag d;
  const std::size_t step = hn::Lanes(d);
  constexpr std::size_t kVectors = NumGroups * kScoreParts;
  hn::Vec<ScoreTag> sums[kVectors];
  for (std::size_t i = 0; i < kVectors; ++i) sums[i] = hn::LoadU(d, scores + i * step);
  for (const RecordHit& hit : hits) {
    const std::uint8_t* weights = stream + hit.at;
    auto mask = load<std::uint64_t>(weights);  // what is beyond the mask is not looked at
    weights += NumGroups;
    const auto value = hn::Set(d, hit.value);
    for (std::size_t group = 0; group < NumGroups; ++group) {
      const std::size_t byte = mask & 0xFF;
      mask >>= 8U;
      add_group(value, weights, table.places[byte], sums + group * kScoreParts);
      weights += __builtin_popcountll(byte);
    }
  }
  for (std::size_t i = 0; i < kVectors; ++i) hn::StoreU(sums[i], d, scores + i * step);
}

using SumMasks = void (*)(const std::uint8_t*, const ExpandTable&, std::span<const RecordHit>,
                          float*);

template <std::size_t... Counts>
constexpr std::array<SumMasks, sizeof...(Counts)> sum_functions(std::index_sequence<Counts...>) {
  return {[](const std::uint8_t* stream, const ExpandTable& table, std::span<const RecordHit> hits,
             float* scores) { sum_masks<Counts + 1>(stream, table, hits, scores); }...};
}

// Adds the pairs of one block to its scores. They are laid end to end first: how many a record has
// cannot be foreseen, and a loop over them inside the loop over records is mostly left wrongly.
HWY_INLINE void sum_pairs(const std::uint8_t* HWY_RESTRICT stream, std::span<const RecordHit> hits,
                          const ExpandTable& table, std::size_t last_lane,
                          const RecordSearch& search, float* HWY_RESTRICT scores) {
  std::uint16_t* HWY_RESTRICT pairs = search.pairs.data();
  float* HWY_RESTRICT values = search.pair_values.data();
  const ScoreTag d8;
  std::size_t num_pairs = 0;
  for (const RecordHit& hit : hits) {
    std::memcpy(pairs + num_pairs, stream + hit.at, kPairRoom * sizeof *pairs);
    for (std::size_t i = 0; i < kPairRoom; i += hn::Lanes(d8)) {
      hn::StoreU(hn::Set(d8, hit.value), d8, values + num_pairs + i);
    }
    num_pairs += hit.pairs;
  }
  const hn::CappedTag<float, 1> d;  // one lane, rounded as all are
  for (std::size_t i = 0; i < num_pairs; ++i) {
    float* score = scores + HWY_MIN(std::size_t{pairs[i] & 0xFFU}, last_lane);
    const auto weight = hn::LoadU(d, table.weights + (pairs[i] >> 8U));
    hn::StoreU(hn::MulAdd(hn::LoadU(d, values + i), weight, hn::LoadU(d, score)), d, score);
  }
}

// Gathers the records of the query, slot by slot. Which features have a record in which block is as
// good as random, so little here branches on it: a hit is written anyway, and counted if it is one.
class Gatherer {
 public:
  Gatherer(const RecordTable& table, const RecordSearch& search)
      : search_(search),
        stream_(table.stream.data()),
        last_begin_(table.stream.size() - kRecordReach),
        stride_(search.columns.size() + 1),
        entry_bytes_(table.entry_bytes()),
        max_pairs_(static_cast<std::uint16_t>(table.max_pairs())),
        num_groups_(static_cast<std::uint16_t>(table.num_groups)),
        num_words_((table.num_blocks + 63) / 64),
        num_slots_(search.blocks.size()) {
    for (std::size_t slot = 0; slot < num_slots_; ++slot) {
      const std::uint32_t block = search.blocks[slot];
      next_[slot] = begin_of(slot);
      list_blocks_[slot] = static_cast<std::uint16_t>(block);
      if (num_wanted_ == 0 || wanted_[num_wanted_ - 1].index != block / 64) {
        wanted_[num_wanted_++] = {block / 64, static_cast<std::uint32_t>(slot), 0};
      }
      wanted_[num_wanted_ - 1].end_slot = static_cast<std::uint32_t>(slot + 1);
    }
  }

  // Everything that can be told without reading the bitmaps' tables, whose memory it asks for.
  HWY_INLINE void find(const RecordTable& table) {
    for (std::size_t t = 0; t < search_.columns.size(); ++t) {
      const std::uint32_t feature = search_.columns[t];
      if (feature >= table.num_features()) break;  // columns ascend
      const std::uint64_t begin = table.posting_begin[feature];
      if (begin == table.posting_begin[feature + 1]) continue;
      const std::uint64_t at = clamp(begin);
      const float value = search_.values[t] * decode_scale(stream_[at]);
      const std::size_t header = stream_[at + 1];
      if (header >= 128) {
        walk_bitmap(at, (header - 128) << 8U | stream_[at + 2], value);
      } else {
        walk_list(at + 2, header, value, t);
      }
    }
  }

  // Reads the tables, and tells pairs from masks.
  HWY_INLINE void resolve() {
    for (std::size_t slot = 0; slot < num_slots_; ++slot) {
      RecordHit* mask = begin_of(slot);
      RecordHit* const first_pair = search_.pair_hits.data() + slot * stride_;
      RecordHit* pair = first_pair;
      for (const RecordHit* found = mask; found != next_[slot]; ++found) {
        RecordHit hit = *found;
        const auto entry = load<std::uint16_t>(stream_ + hit.at + std::size_t{2} * hit.rank);
        const std::uint64_t record = clamp(hit.at + (entry & 0x1FFFU));
        const bool is_known = hit.pairs != kUnresolved;
        hit.at = is_known ? hit.at : record;
        hit.pairs = is_known ? hit.pairs : static_cast<std::uint16_t>(entry >> 13U);
        __builtin_prefetch(stream_ + hit.at);
        __builtin_prefetch(stream_ + hit.at + kRecordGuess);
        *mask = hit;  // the masks take the place of what was found
        *pair = hit;
        pair += hit.pairs != 0 ? 1 : 0;
        mask += hit.pairs != 0 ? 0 : 1;
      }
      num_masks_[slot] = static_cast<std::size_t>(mask - begin_of(slot));
      num_pairs_[slot] = static_cast<std::size_t>(pair - first_pair);
    }
  }

  [[nodiscard]] std::span<const RecordHit> masks(std::size_t slot) const {
    return {begin_of(slot), num_masks_[slot]};
  }
  [[nodiscard]] std::span<const RecordHit> pairs(std::size_t slot) const {
    return {search_.pair_hits.data() + slot * stride_, num_pairs_[slot]};
  }

 private:
  // The wanted blocks of one word of a bitmap.
  struct WantedWord {
    std::uint32_t index = 0;
    std::uint32_t first_slot = 0;
    std::uint32_t end_slot = 0;
  };

  [[nodiscard]] HWY_INLINE std::uint64_t clamp(std::uint64_t at) const {
    return HWY_MIN(at, last_begin_);
  }
  [[nodiscard]] HWY_INLINE RecordHit* begin_of(std::size_t slot) const {
    return search_.mask_hits.data() + slot * stride_;
  }

  HWY_INLINE void walk_list(std::uint64_t at, std::size_t size, float value, std::size_t t) {
#if HWY_TARGET != HWY_SCALAR
    if (entry_bytes_ == 2 && size <= kMaxListEntries && num_slots_ <= 4 * size) {
      return match_slots(at, size, value);
    }
#endif
    if (entry_bytes_ == 2) return walk_entries<std::uint16_t>(at, size, value, t);
    walk_entries<std::uint32_t>(at, size, value, t);
  }

  // Entry by entry: for lists that are short beside the blocks.
  template <class Entry>
  HWY_INLINE void walk_entries(std::uint64_t at, std::size_t size, float value, std::size_t t) {
    std::uint64_t record = at + size * sizeof(Entry);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t packed = load<Entry>(stream_ + at + i * sizeof(Entry));
      const std::uint32_t block = packed >> 6U;
      const auto count = static_cast<std::uint16_t>((packed & 63U) + 1);
      const bool is_pairs = count <= max_pairs_;
      const std::size_t word = HWY_MIN(block / 64, num_words_ - 1);
      const std::uint64_t wanted = search_.block_bits[word];
      if ((wanted >> block % 64 & 1U) != 0) {
        const std::uint64_t below = (std::uint64_t{1} << block % 64) - 1;
        const std::size_t slot = search_.first_slots[word] +
                                 static_cast<std::size_t>(__builtin_popcountll(wanted & below));
        // A hostile file names a block twice.
        if (static_cast<std::size_t>(next_[slot] - begin_of(slot)) > t) return;
        *next_[slot]++ = {clamp(record), value, 0, is_pairs ? count : std::uint16_t{0}};
      }
      record += count + (is_pairs ? count : num_groups_);
    }
  }

#if HWY_TARGET != HWY_SCALAR
  // Slot by slot: all entries are compared with its block.
  HWY_INLINE void match_slots(std::uint64_t at, std::size_t size, float value) {
    const hn::CappedTag<std::uint16_t, kMaxListEntries> d;
    constexpr std::size_t kStep = HWY_MIN(kMaxListEntries, HWY_LANES(std::uint16_t));
    constexpr std::size_t kVectors = kMaxListEntries / kStep;
    HWY_ALIGN std::uint16_t offsets[kMaxListEntries];
    HWY_ALIGN std::uint16_t pairs[kMaxListEntries];
    measure_list(stream_ + at, size, offsets, pairs);
    hn::Vec<decltype(d)> blocks[kVectors];
    for (std::size_t i = 0; i < kVectors; ++i) {
      const auto* entries = reinterpret_cast<const std::uint16_t*>(stream_ + at);
      blocks[i] = hn::ShiftRight<6>(hn::LoadU(d, entries + i * kStep));
    }
    const std::uint32_t last = 1U << (size - 1);
    const std::uint32_t inside = last | (last - 1);
    const std::uint64_t records = at + size * sizeof(std::uint16_t);
    for (std::size_t slot = 0; slot < num_slots_; ++slot) {
      const auto wanted = hn::Set(d, list_blocks_[slot]);
      std::uint32_t found = 0;
      for (std::size_t i = 0; i < kVectors; ++i) {
        std::uint8_t bytes[8];  // what StoreMaskBits() may write
        hn::StoreMaskBits(d, hn::Eq(blocks[i], wanted), bytes);
        std::uint32_t bits = 0;
        std::memcpy(&bits, bytes, kStep / 8);
        found |= bits << i * kStep;
      }
      found &= inside;
      const auto i = static_cast<std::size_t>(__builtin_ctz(found | last));
      *next_[slot] = {clamp(records + offsets[i]), value, 0, pairs[i]};
      next_[slot] += found != 0 ? 1 : 0;
    }
  }

  // Distances of the records of a list from the first, and how many pairs they have.
  HWY_INLINE void measure_list(const std::uint8_t* list, std::size_t size,
                               std::uint16_t* HWY_RESTRICT offsets,
                               std::uint16_t* HWY_RESTRICT pairs) const {
    const hn::FixedTag<std::uint16_t, 8> d;
    auto before = hn::Zero(d);
    for (std::size_t i = 0; i < size; i += 8) {
      const auto entries = hn::LoadU(d, reinterpret_cast<const std::uint16_t*>(list) + i);
      const auto count = hn::Add(hn::And(entries, hn::Set(d, 63)), hn::Set(d, 1));
      // Min() tells which are not longer than that: there is no comparison of unsigned lanes.
      const auto is_pairs = hn::Eq(hn::Min(count, hn::Set(d, max_pairs_)), count);
      const auto length = hn::Add(count, hn::IfThenElse(is_pairs, count, hn::Set(d, num_groups_)));
      auto sum = hn::Add(length, hn::ShiftLeftLanes<1>(length));
      sum = hn::Add(sum, hn::ShiftLeftLanes<2>(sum));
      sum = hn::Add(before, hn::Add(sum, hn::ShiftLeftLanes<4>(sum)));
      hn::Store(hn::Sub(sum, length), d, offsets + i);
      hn::Store(hn::IfThenElseZero(is_pairs, count), d, pairs + i);
      before = hn::Broadcast<7>(sum);
    }
  }
#endif

  HWY_INLINE void walk_bitmap(std::uint64_t begin, std::size_t size, float value) {
    for (std::size_t i = 0; i < num_wanted_; ++i) {
      const WantedWord wanted = wanted_[i];
      const std::uint8_t* word = find_word(begin, size, wanted.index);
      const bool is_there = load<std::uint32_t>(word + 8) == wanted.index;
      const std::uint64_t bits = is_there ? load<std::uint64_t>(word) : 0;
      const std::uint64_t table = clamp(begin + load<std::uint32_t>(word + 12));
      for (std::size_t slot = wanted.first_slot; slot < wanted.end_slot; ++slot) {
        const std::uint32_t bit = search_.blocks[slot] % 64;
        const std::uint64_t below = (std::uint64_t{1} << bit) - 1;
        const auto rank = static_cast<std::uint16_t>(__builtin_popcountll(bits & below));
        __builtin_prefetch(stream_ + table + std::size_t{2} * rank);
        *next_[slot] = {table, value, rank, kUnresolved};
        next_[slot] += bits >> bit & 1U;
      }
    }
  }

  // The word of the bitmap that has the index, or some other. Words ascend, so one is at most as
  // far from its own place as there are words missing.
  [[nodiscard]] HWY_INLINE const std::uint8_t* find_word(std::uint64_t begin, std::size_t size,
                                                         std::size_t index) const {
    const std::size_t missing = num_words_ - HWY_MIN(size, num_words_);
    std::size_t low = index - HWY_MIN(missing, index);
    std::size_t high = HWY_MIN(index, size - HWY_MIN(size, 1));
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      const bool is_before = load<std::uint32_t>(word_at(begin, middle) + 8) < index;
      low = is_before ? middle + 1 : low;
      high = is_before ? high : middle;
    }
    return word_at(begin, low);
  }
  [[nodiscard]] HWY_INLINE const std::uint8_t* word_at(std::uint64_t begin, std::size_t i) const {
    return stream_ + clamp(begin + 3 + 16 * i);
  }

  const RecordSearch& search_;
  const std::uint8_t* stream_;
  std::uint64_t last_begin_;
  std::size_t stride_;  // hits of a slot; one more than features, as the last may not count
  std::size_t entry_bytes_;
  std::uint16_t max_pairs_;
  std::uint16_t num_groups_;
  std::size_t num_words_;
  std::size_t num_slots_;
  std::size_t num_wanted_ = 0;
  WantedWord wanted_[kMaxRecordBlocks];
  std::uint16_t list_blocks_[kMaxRecordBlocks];
  RecordHit* next_[kMaxRecordBlocks];
  std::size_t num_masks_[kMaxRecordBlocks];
  std::size_t num_pairs_[kMaxRecordBlocks];
};

void add_records(const RecordTable& table, const RecordSearch& search, float* scores) {
  static constexpr auto kSum = sum_functions(std::make_index_sequence<kMaxRecordGroups>());
  static const ExpandTable expand;
  Gatherer gatherer(table, search);
  gatherer.find(table);
  gatherer.resolve();
  const std::uint8_t* const stream = table.stream.data();
  for (std::size_t slot = 0; slot < search.blocks.size(); ++slot) {
    float* const block_scores = scores + slot * table.num_groups * kRecordGroup;
    sum_pairs(stream, gatherer.pairs(slot), expand, table.num_groups * kRecordGroup - 1, search,
              block_scores);
    kSum[table.num_groups - 1](stream, expand, gatherer.masks(slot), block_scores);
  }
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by record_scores.cc.
#if defined(MHE_KERNELS_RECORD_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_RECORD_SCORES_INL_H_
#undef MHE_KERNELS_RECORD_SCORES_INL_H_
#else
#define MHE_KERNELS_RECORD_SCORES_INL_H_
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

// Byte places that bring packed 16-bit values to the lanes of a mask; 0x80 gives zero.
struct ExpandTable {
  alignas(64) std::uint8_t places[256][16];
  ExpandTable() {
    for (std::size_t mask = 0; mask < 256; ++mask) {
      std::uint8_t next = 0;
      for (std::size_t lane = 0; lane < kRecordGroup; ++lane) {
        const bool set = (mask >> lane & 1) != 0;
        places[mask][2 * lane] = set ? next : 0x80;
        places[mask][2 * lane + 1] = set ? static_cast<std::uint8_t>(next + 1) : 0x80;
        if (set) next = static_cast<std::uint8_t>(next + 2);
      }
    }
  }
};

HWY_INLINE std::uint64_t load_mask(const std::uint8_t* record, std::size_t num_bytes) {
  std::uint64_t mask = 0;
  std::memcpy(&mask, record, sizeof mask);  // the stream is longer than its last record
  return num_bytes == 8 ? mask : mask & ((std::uint64_t{1} << (8 * num_bytes)) - 1);
}

// sums += value * weights, for the lanes of one byte of a mask; the weights are packed.
HWY_INLINE void add_group(hn::Vec<ScoreTag> value, const std::uint8_t* HWY_RESTRICT weights,
                          std::size_t byte, const ExpandTable& table,
                          hn::Vec<ScoreTag>* HWY_RESTRICT sums) {
  const ScoreTag d;
  const hn::Rebind<std::uint32_t, ScoreTag> d32;
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t lane = 0; lane < kRecordGroup; ++lane) {
    const std::uint8_t place = table.places[byte][2 * lane];
    if (place == 0x80) continue;
    std::uint16_t bits = 0;
    std::memcpy(&bits, weights + place, sizeof bits);
    const auto wide = hn::Set(d32, static_cast<std::uint32_t>(bits) << 16U);
    sums[lane] = hn::MulAdd(value, hn::BitCast(d, wide), sums[lane]);
  }
#else
  const hn::FixedTag<std::uint8_t, 16> d8;
  const hn::FixedTag<std::uint16_t, 8> d16;
  const auto packed = hn::LoadU(d8, weights);
  const auto lanes =
      hn::BitCast(d16, hn::TableLookupBytesOr0(packed, hn::Load(d8, table.places[byte])));
#if HWY_MAX_BYTES >= 32
  const auto wide = hn::ShiftLeft<16>(hn::PromoteTo(d32, lanes));
  sums[0] = hn::MulAdd(value, hn::BitCast(d, wide), sums[0]);
#else
  // bfloat16 is the upper half of a float.
  const auto zero = hn::Zero(d16);
  const auto low = hn::BitCast(d, hn::InterleaveLower(d16, zero, lanes));
  const auto high = hn::BitCast(d, hn::InterleaveUpper(d16, zero, lanes));
  sums[0] = hn::MulAdd(value, low, sums[0]);
  sums[1] = hn::MulAdd(value, high, sums[1]);
#endif
#endif
}

// Sums the records of one block, its lanes in registers.
template <std::size_t NumGroups>
HWY_INLINE void sum_block(const std::uint8_t* HWY_RESTRICT stream, const ExpandTable& table,
                          std::span<const RecordHit> hits, float* HWY_RESTRICT scores) {
  const ScoreTag d;
  const std::size_t step = hn::Lanes(d);
  hn::Vec<ScoreTag> sums[NumGroups * kScoreParts];
  for (std::size_t i = 0; i < NumGroups * kScoreParts; ++i)
    sums[i] = hn::LoadU(d, scores + i * step);
  for (const RecordHit& hit : hits) {
    const std::uint8_t* weights = stream + hit.at;
    std::uint64_t mask = load_mask(weights, NumGroups);
    weights += NumGroups;
    const auto value = hn::Set(d, hit.value);
    for (std::size_t group = 0; group < NumGroups; ++group) {
      const std::size_t byte = mask & 0xFF;
      mask >>= 8U;
      add_group(value, weights, byte, table, sums + group * kScoreParts);
      weights += 2 * static_cast<std::size_t>(__builtin_popcountll(byte));
    }
  }
  for (std::size_t i = 0; i < NumGroups * kScoreParts; ++i)
    hn::StoreU(sums[i], d, scores + i * step);
}

using SumBlock = void (*)(const std::uint8_t*, const ExpandTable&, std::span<const RecordHit>,
                          float*);

template <std::size_t... Counts>
constexpr std::array<SumBlock, sizeof...(Counts)> sum_functions(std::index_sequence<Counts...>) {
  return {[](const std::uint8_t* stream, const ExpandTable& table, std::span<const RecordHit> hits,
             float* scores) { sum_block<Counts + 1>(stream, table, hits, scores); }...};
}

// Finds the entries of the query's records in the tables of their words, and asks for the memory
// they are in. counts[slot] is how many the slot has.
HWY_INLINE void find_hits(const RecordTable& table, const RecordSearch& search,
                          std::size_t* HWY_RESTRICT counts) {
  const std::uint32_t first_word = search.blocks.front() / 64;
  const std::uint32_t last_word = search.blocks.back() / 64;
  const RecordWord* const words = table.words.data();
  const std::uint8_t* const stream = table.stream.data();
  const std::uint64_t last_begin = table.stream.size() - kRecordReach;
  const std::size_t capacity = search.columns.size();
  for (std::size_t t = 0; t < search.columns.size(); ++t) {
    const std::uint32_t feature = search.columns[t];
    if (feature >= table.num_features()) break;  // columns ascend
    const std::size_t end = HWY_MIN(table.word_begin[feature + 1], table.words.size());
    std::size_t at = search.cursors[t];
    while (at < end && words[at].index() < first_word) ++at;
    search.cursors[t] = static_cast<std::uint32_t>(at);
    for (; at < end; ++at) {
      const RecordWord& word = words[at];
      const std::uint32_t index = word.index();
      if (index > last_word || index < first_word) break;
      const std::uint64_t wanted = search.block_bits[index];
      const std::uint64_t begin = HWY_MIN(word.begin(), last_begin);
      for (std::uint64_t rest = word.bits & wanted; rest != 0; rest &= rest - 1) {
        const std::uint64_t below = (rest & -rest) - 1;
        const auto rank = static_cast<std::uint32_t>(__builtin_popcountll(word.bits & below));
        const std::size_t slot = search.first_slots[index] +
                                 static_cast<std::size_t>(__builtin_popcountll(wanted & below));
        if (counts[slot] == capacity) continue;  // a hostile file names a word twice
        __builtin_prefetch(stream + begin + 2 * rank);
        search.hits[slot * capacity + counts[slot]++] = {begin, search.values[t], rank};
      }
    }
  }
}

void start_query(const RecordTable& table, const RecordSearch& search) {
  for (std::size_t t = 0; t < search.columns.size(); ++t) {
    const std::uint32_t feature = search.columns[t];
    if (feature >= table.num_features()) break;
    const std::uint32_t begin = table.word_begin[feature];
    search.cursors[t] = begin;
    __builtin_prefetch(table.words.data() + begin);
  }
}

void add_records(const RecordTable& table, const RecordSearch& search, float* scores) {
  static constexpr auto kSum = sum_functions(std::make_index_sequence<kMaxRecordGroups>());
  static const ExpandTable expand;
  std::size_t counts[kMaxRecordBlocks] = {};
  find_hits(table, search, counts);
  const std::size_t capacity = search.columns.size();
  const std::uint8_t* const stream = table.stream.data();
  const std::uint64_t last_begin = table.stream.size() - kRecordReach;
  for (std::size_t slot = 0; slot < search.blocks.size(); ++slot) {
    for (RecordHit& hit : search.hits.subspan(slot * capacity, counts[slot])) {
      std::uint16_t distance = 0;
      std::memcpy(&distance, stream + hit.at + 2 * hit.rank, sizeof distance);
      hit.at = HWY_MIN(hit.at + distance, last_begin);
      __builtin_prefetch(stream + hit.at);
    }
  }
  for (std::size_t slot = 0; slot < search.blocks.size(); ++slot) {
    kSum[table.num_groups - 1](stream, expand, search.hits.subspan(slot * capacity, counts[slot]),
                               scores + slot * table.num_groups * kRecordGroup);
  }
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

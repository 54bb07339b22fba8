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

HWY_INLINE void sum_pairs(const std::uint8_t* HWY_RESTRICT stream, std::span<const RecordHit> hits,
                          const float* HWY_RESTRICT weights, std::size_t last_lane,
                          float* HWY_RESTRICT scores) {
  const hn::CappedTag<float, 1> d;  // one lane, rounded as all are
  for (const RecordHit& hit : hits) {
    const std::uint8_t* pair = stream + hit.at;
    const std::uint8_t* const end = pair + 2 * hit.pairs;
    const auto value = hn::Set(d, hit.value);
    for (; pair != end; pair += 2) {
      float* score = scores + HWY_MIN(std::size_t{pair[0]}, last_lane);
      const auto weight = hn::LoadU(d, weights + pair[1]);
      hn::StoreU(hn::MulAdd(value, weight, hn::LoadU(d, score)), d, score);
    }
  }
}

// Gathers the records of the query, slot by slot.
class Gatherer {
 public:
  Gatherer(const RecordTable& table, const RecordSearch& search)
      : search_(search),
        stream_(table.stream.data()),
        last_begin_(table.stream.size() - kRecordReach),
        capacity_(search.columns.size()),
        entry_bytes_(table.entry_bytes()),
        max_pairs_(table.max_pairs()),
        num_groups_(table.num_groups),
        num_blocks_(table.num_blocks) {}

  // Everything that can be told without reading the bitmaps' tables, whose memory it asks for.
  HWY_INLINE void find(const RecordTable& table) {
    for (std::size_t t = 0; t < capacity_; ++t) {
      const std::uint32_t feature = search_.columns[t];
      if (feature >= table.num_features()) break;  // columns ascend
      const std::uint64_t begin = table.posting_begin[feature];
      if (begin == table.posting_begin[feature + 1]) continue;
      const std::uint64_t at = clamp(begin);
      value_ = search_.values[t] * decode_scale(stream_[at]);
      const std::size_t header = stream_[at + 1];
      if (header < 128) {
        walk_list(at + 2, header);
      } else {
        walk_bitmap(t, at, (header - 128) << 8U | stream_[at + 2]);
      }
    }
  }

  // Reads the tables, and tells pairs from masks.
  HWY_INLINE void resolve() {
    for (std::size_t slot = 0; slot < search_.blocks.size(); ++slot) {
      RecordHit* HWY_RESTRICT hits = search_.mask_hits.data() + slot * capacity_;
      RecordHit* HWY_RESTRICT pairs = search_.pair_hits.data() + slot * capacity_;
      std::size_t num_masks = 0;
      std::size_t num_pairs = 0;
      for (std::size_t i = 0; i < counts_[slot]; ++i) {
        RecordHit hit = hits[i];
        if (hit.pairs == kUnresolved) {
          const auto entry = load<std::uint16_t>(stream_ + hit.at + 2 * hit.rank);
          hit.at = clamp(hit.at + (entry & 0x1FFFU));
          hit.pairs = static_cast<std::uint16_t>(entry >> 13U);
          __builtin_prefetch(stream_ + hit.at);
        }
        // Both are written and one of them counts: which it is cannot be foreseen.
        hits[num_masks] = hit;
        pairs[num_pairs] = hit;
        num_pairs += hit.pairs != 0 ? 1 : 0;
        num_masks += hit.pairs != 0 ? 0 : 1;
      }
      num_masks_[slot] = num_masks;
      num_pairs_[slot] = num_pairs;
    }
  }

  [[nodiscard]] std::span<const RecordHit> masks(std::size_t slot) const {
    return {search_.mask_hits.data() + slot * capacity_, num_masks_[slot]};
  }
  [[nodiscard]] std::span<const RecordHit> pairs(std::size_t slot) const {
    return {search_.pair_hits.data() + slot * capacity_, num_pairs_[slot]};
  }

 private:
  [[nodiscard]] HWY_INLINE std::uint64_t clamp(std::uint64_t at) const {
    return HWY_MIN(at, last_begin_);
  }

  HWY_INLINE void add(std::size_t slot, const RecordHit& hit) {
    if (counts_[slot] == capacity_) return;  // a hostile file names a block twice
    search_.mask_hits[slot * capacity_ + counts_[slot]++] = hit;
  }

  HWY_INLINE void walk_list(std::uint64_t at, std::size_t size) {
    const std::uint8_t* entry = stream_ + at;
    std::uint64_t record = at + size * entry_bytes_;
    for (std::size_t i = 0; i < size; ++i, entry += entry_bytes_) {
      const std::uint32_t packed =
          entry_bytes_ == 2 ? load<std::uint16_t>(entry) : load<std::uint32_t>(entry);
      const std::uint32_t block = packed >> 6U;
      const std::size_t count = (packed & 63U) + 1;
      const bool is_pairs = count <= max_pairs_;
      if (block >= num_blocks_) return;
      const std::uint64_t wanted = search_.block_bits[block / 64];
      if ((wanted >> block % 64 & 1U) != 0) {
        const std::uint64_t below = (std::uint64_t{1} << block % 64) - 1;
        const std::size_t slot = search_.first_slots[block / 64] +
                                 static_cast<std::size_t>(__builtin_popcountll(wanted & below));
        __builtin_prefetch(stream_ + clamp(record));
        add(slot, {clamp(record), value_, 0, static_cast<std::uint16_t>(is_pairs ? count : 0)});
      }
      record += count + (is_pairs ? count : num_groups_);
    }
  }

  HWY_INLINE void walk_bitmap(std::size_t t, std::uint64_t begin, std::size_t size) {
    const std::uint32_t first_word = search_.blocks.front() / 64;
    const std::uint32_t last_word = search_.blocks.back() / 64;
    for (std::size_t i = search_.cursors[t]; i < size; ++i) {
      const std::uint8_t* word = stream_ + clamp(begin + 3 + 16 * i);
      const auto index = load<std::uint32_t>(word + 8);
      if (index < first_word) {
        search_.cursors[t] = static_cast<std::uint32_t>(i + 1);
        continue;
      }
      if (index > last_word) return;
      const auto bits = load<std::uint64_t>(word);
      const std::uint64_t table = clamp(begin + load<std::uint32_t>(word + 12));
      const std::uint64_t wanted = search_.block_bits[index];
      for (std::uint64_t rest = bits & wanted; rest != 0; rest &= rest - 1) {
        const std::uint64_t below = (rest & -rest) - 1;
        const auto rank = static_cast<std::uint16_t>(__builtin_popcountll(bits & below));
        const std::size_t slot = search_.first_slots[index] +
                                 static_cast<std::size_t>(__builtin_popcountll(wanted & below));
        __builtin_prefetch(stream_ + table + 2U * rank);
        add(slot, {table, value_, rank, kUnresolved});
      }
    }
  }

  const RecordSearch& search_;
  const std::uint8_t* stream_;
  std::uint64_t last_begin_;
  std::size_t capacity_;
  std::size_t entry_bytes_;
  std::size_t max_pairs_;
  std::size_t num_groups_;
  std::size_t num_blocks_;
  float value_ = 0;  // of the feature at hand
  std::size_t counts_[kMaxRecordBlocks] = {};
  std::size_t num_masks_[kMaxRecordBlocks];
  std::size_t num_pairs_[kMaxRecordBlocks];
};

void start_query(const RecordTable& table, const RecordSearch& search) {
  for (std::size_t t = 0; t < search.columns.size(); ++t) {
    const std::uint32_t feature = search.columns[t];
    if (feature >= table.num_features()) break;
    search.cursors[t] = 0;
    // A list of some length, or the words of a bitmap, reach into the next line.
    const std::uint8_t* posting = table.stream.data() + table.posting_begin[feature];
    __builtin_prefetch(posting);
    __builtin_prefetch(posting + 64);
  }
}

void add_records(const RecordTable& table, const RecordSearch& search, float* scores) {
  static constexpr auto kSum = sum_functions(std::make_index_sequence<kMaxRecordGroups>());
  static const ExpandTable expand;
  Gatherer gatherer(table, search);
  gatherer.find(table);
  gatherer.resolve();
  const std::uint8_t* const stream = table.stream.data();
  for (std::size_t slot = 0; slot < search.blocks.size(); ++slot) {
    float* const block_scores = scores + slot * table.num_groups * kRecordGroup;
    sum_pairs(stream, gatherer.pairs(slot), expand.weights, table.num_groups * kRecordGroup - 1,
              block_scores);
    kSum[table.num_groups - 1](stream, expand, gatherer.masks(slot), block_scores);
  }
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "heads/sparse_level.h"
#include "kernels/record_scores.h"

namespace mhe::testing {

template <class T>
T load_plainly(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// What a posting holds for a block.
struct FoundRecord {
  const std::uint8_t* at = nullptr;  // null: nothing
  std::size_t pairs = 0;             // 0: a mask
};

inline FoundRecord find_in_list(const kernels::RecordTable& table, const std::uint8_t* posting,
                                std::uint32_t block) {
  const std::size_t bytes = table.entry_bytes();
  const std::uint8_t* record = posting + 2 + posting[1] * bytes;
  for (std::size_t i = 0; i < posting[1]; ++i) {
    const std::uint8_t* entry = posting + 2 + i * bytes;
    const std::uint32_t packed =
        bytes == 2 ? load_plainly<std::uint16_t>(entry) : load_plainly<std::uint32_t>(entry);
    const std::size_t count = (packed & 63U) + 1;
    const bool is_pairs = count <= table.max_pairs();
    if (packed >> 6U == block) return {record, is_pairs ? count : 0};
    record += is_pairs ? 2 * count : table.num_groups + count;
  }
  return {};
}

inline FoundRecord find_in_bitmap(const std::uint8_t* posting, std::uint32_t block) {
  const std::size_t size = (posting[1] - 128U) << 8U | posting[2];
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint8_t* word = posting + 3 + 16 * i;
    const auto bits = load_plainly<std::uint64_t>(word);
    if (load_plainly<std::uint32_t>(word + 8) != block / 64 || (bits >> block % 64 & 1U) == 0) {
      continue;
    }
    std::size_t rank = 0;
    for (std::uint32_t b = 0; b < block % 64; ++b) rank += bits >> b & 1U;
    const std::uint8_t* entries = posting + load_plainly<std::uint32_t>(word + 12);
    const auto entry = load_plainly<std::uint16_t>(entries + 2 * rank);
    return {entries + (entry & 0x1FFFU), static_cast<std::size_t>(entry >> 13U)};
  }
  return {};
}

// The byte of a lane's weight; 0 if it has none.
inline int find_weight(const kernels::RecordTable& table, const FoundRecord& record,
                       std::size_t lane) {
  for (std::size_t i = 0; i < record.pairs; ++i) {
    if (record.at[2 * i] == lane) return static_cast<std::int8_t>(record.at[2 * i + 1]);
  }
  if (record.pairs > 0 || (record.at[lane / 8] >> lane % 8 & 1U) == 0) return 0;
  std::size_t before = 0;
  for (std::size_t i = 0; i < lane; ++i) before += record.at[i / 8] >> i % 8 & 1U;
  return static_cast<std::int8_t>(record.at[table.num_groups + before]);
}

// One lane of one block after add_records(), in a sound table.
inline float add_records_reference(const kernels::RecordTable& table,
                                   const kernels::RecordSearch& search, std::uint32_t block,
                                   std::size_t lane, float score) {
  for (const bool pairs : {true, false}) {
    for (std::size_t t = 0; t < search.columns.size(); ++t) {
      const std::uint32_t feature = search.columns[t];
      if (feature >= table.num_features()) continue;
      if (table.posting_begin[feature] == table.posting_begin[feature + 1]) continue;
      const std::uint8_t* posting = table.stream.data() + table.posting_begin[feature];
      const FoundRecord record =
          posting[1] < 128 ? find_in_list(table, posting, block) : find_in_bitmap(posting, block);
      if (record.at == nullptr || (record.pairs > 0) != pairs) continue;
      const int q = find_weight(table, record, lane);
      const float value = search.values[t] * kernels::decode_scale(posting[0]);
      score = std::fma(value, static_cast<float>(q * std::abs(q)), score);
    }
  }
  return score;
}

/// The meaning of heads::score_blocks() for one child, searched plainly.
inline float score_child_reference(const heads::SparseLevelView& level, const SparseRow& query,
                                   std::size_t block, std::size_t child) {
  const kernels::RecordSearch search = {.columns = query.columns, .values = query.values};
  return add_records_reference(level.records, search, static_cast<std::uint32_t>(block), child,
                               level.bias[block * level.shape.block_width + child]);
}

}  // namespace mhe::testing

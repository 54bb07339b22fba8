// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Scores of many linear classifiers for one sparse query: the inner loop of searching a sparse
// cascade.
//
// Classifiers lie in blocks of up to 64 lanes. For each feature, 64 consecutive blocks share a
// RecordWord whose bits say which of them have weights of the feature. In the byte stream, at the
// word's begin, lies a little-endian u16 for each bit that is set: how far from there the block's
// record is. A record is a mask of lanes, a byte for each group of eight, then a bfloat16 for each
// lane in the mask.
//
// Nothing in the table is trusted: whatever its bytes say, reads stay inside its arrays, and the
// scores are merely wrong. So a mapped file needs no pass over it before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mhe::kernels {

/// Lanes of one byte of a mask, and of one AVX2 register of floats.
inline constexpr std::size_t kRecordGroup = 8;
inline constexpr std::size_t kMaxRecordGroups = 8;
/// So many blocks are scored at a time.
inline constexpr std::size_t kMaxRecordBlocks = 64;
/// Bytes that may be read from the begin of a record: mask, weights, and the rest of the vector
/// that holds the last of them. The stream ends with as many bytes that belong to no record.
inline constexpr std::size_t kRecordReach = kMaxRecordGroups + 2 * 64 + 16;

struct RecordWord {
  std::uint64_t bits = 0;   ///< blocks that have a record
  std::uint64_t place = 0;  ///< begin in the stream << 24 | index: blocks [64 index, 64 index + 64)

  [[nodiscard]] std::uint64_t begin() const noexcept { return place >> 24U; }
  [[nodiscard]] std::uint32_t index() const noexcept {
    return static_cast<std::uint32_t>(place & 0xFFFFFF);
  }
};

/// Feature f has the words [word_begin[f], word_begin[f + 1]), by ascending index.
struct RecordTable {
  std::span<const std::uint32_t> word_begin;
  std::span<const RecordWord> words;
  std::span<const std::uint8_t> stream;  ///< at least kRecordReach bytes
  std::size_t num_groups = 1;            ///< of a block

  [[nodiscard]] std::size_t num_features() const noexcept { return word_begin.size() - 1; }
};

/// A record that the query meets.
struct RecordHit {
  std::uint64_t at = 0;  ///< in the stream
  float value = 0;       ///< of the query
  std::uint32_t rank = 0;
};

/// One call's work and memory; all spans are the caller's.
struct RecordSearch {
  std::span<const std::uint32_t> columns = {};  ///< of the query, ascending
  std::span<const float> values = {};
  std::span<const std::uint32_t> blocks = {};  ///< at most kMaxRecordBlocks, ascending
  std::span<std::uint64_t> block_bits = {};    ///< [word index]: the blocks as bits
  std::span<std::uint32_t> first_slots = {};   ///< [word index]: how many of `blocks` come before
  std::span<std::uint32_t> cursors = {};       ///< [column]: kept from call to call; blocks ascend
  std::span<RecordHit> hits = {};              ///< blocks.size() * columns.size()
};

/// Begins with a query: finds the words of its features.
void start_query(const RecordTable& table, const RecordSearch& search) noexcept;

/// Adds the query's products to scores[slot * num_groups * 8 + lane] for the slot of each block, in
/// the order of the query's features, with one rounding each where the machine has fused
/// multiply-add.
void add_records(const RecordTable& table, const RecordSearch& search, float* scores) noexcept;

/// The meaning of add_records for one lane of one block, searched plainly, rounding once a step.
[[nodiscard]] float add_records_reference(const RecordTable& table, const RecordSearch& search,
                                          std::uint32_t block, std::size_t lane, float score);

}  // namespace mhe::kernels

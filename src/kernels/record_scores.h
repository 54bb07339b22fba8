// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Scores of many linear classifiers for one sparse query: the inner loop of searching a sparse
// cascade. docs/model-file.md describes the bytes.
//
// Classifiers lie in blocks of up to 64 lanes. Each feature has a posting, its weights in all
// blocks, which begins with the code of its scale and a byte h:
//   h < 128   a list of h entries, (block << 6 | count - 1) in entry_bytes each, then the records
//   h >= 128  a bitmap of (h - 128) << 8 | the next byte words of 16 bytes: u64 bits, u32 index
//             (of the blocks [64 index, 64 index + 64)), u32 distance from the posting's begin to
//             a u16 for each bit that is set: count << 13 | distance from there to the record.
// A record of `count` <= kMaxPairs weights is as many pairs (u8 lane, i8 weight); another, whose
// count is 0 in a bitmap, is a mask of lanes, a byte for each group of eight, then an i8 for each
// lane in the mask. The weight of i8 q is scale * q * |q|: small weights, of which there are most,
// are kept finer than large ones. All is little-endian.
//
// Nothing in the table is trusted: whatever its bytes say, reads stay inside its arrays, and the
// scores are merely wrong. So a mapped file needs no pass over it before it is used.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mhe::kernels {

/// Lanes of one byte of a mask, and of one AVX2 register of floats.
inline constexpr std::size_t kRecordGroup = 8;
inline constexpr std::size_t kMaxRecordGroups = 8;
/// Blocks that are scored at a time.
inline constexpr std::size_t kMaxRecordBlocks = 64;
/// What three bits can count.
inline constexpr std::size_t kMaxPairs = 7;
/// Pairs that are copied at a time, whatever their number: a vector of 16 bytes.
inline constexpr std::size_t kPairRoom = 8;
/// A longer list is a bitmap: it would take too long to walk.
inline constexpr std::size_t kMaxListEntries = 32;
/// Bytes that may be read from a place in the stream without asking how many there are: a list of
/// 127 entries, a table of 64 records, or the longest record and the rest of the vector that holds
/// its end. The stream ends with as many bytes that belong to no posting.
inline constexpr std::size_t kRecordReach = 512 + 16;

/// Weights of one level, by feature.
struct RecordTable {
  std::span<const std::uint32_t> posting_begin;  ///< in the stream; a feature without is empty
  std::span<const std::uint8_t> stream;          ///< at least kRecordReach bytes
  std::size_t num_groups = 1;                    ///< of a block
  std::size_t num_blocks = 1;

  [[nodiscard]] std::size_t num_features() const noexcept { return posting_begin.size() - 1; }
  /// Of an entry in a list.
  [[nodiscard]] std::size_t entry_bytes() const noexcept { return num_blocks <= 1024 ? 2 : 4; }
  /// Records of up to this many weights are stored as pairs, where that takes no more bytes.
  [[nodiscard]] std::size_t max_pairs() const noexcept {
    return num_groups < kMaxPairs ? num_groups : kMaxPairs;
  }
};

/// A posting's scale from its code: three bits of mantissa and the exponent from -30 up.
[[nodiscard]] constexpr float decode_scale(std::uint8_t code) noexcept {
  return std::bit_cast<float>((std::uint32_t{127 - 30} << 23U) + (std::uint32_t{code} << 20U));
}

/// A record that the query meets.
struct RecordHit {
  std::uint64_t at = 0;     ///< in the stream
  float value = 0;          ///< of the query, times the scale of the posting
  std::uint16_t rank = 0;   ///< while its entry in a bitmap's table is not read yet
  std::uint16_t pairs = 0;  ///< how many; 0: a mask
};

/// One call's work and memory; all spans are the caller's.
struct RecordSearch {
  std::span<const std::uint32_t> columns = {};  ///< of the query, ascending
  std::span<const float> values = {};
  std::span<const std::uint32_t> blocks = {};  ///< at most kMaxRecordBlocks, ascending
  std::span<std::uint64_t> block_bits = {};    ///< [block / 64]: the blocks as bits
  std::span<std::uint32_t> first_slots = {};   ///< [block / 64]: how many of `blocks` come before
  std::span<RecordHit> mask_hits = {};         ///< blocks.size() * (columns.size() + 1)
  std::span<RecordHit> pair_hits = {};         ///< the same
  std::span<std::uint16_t> pairs = {};         ///< (columns.size() + 1) * kPairRoom
  std::span<float> pair_values = {};           ///< the same
};

/// Asks for the memory that says where the postings of the features (ascending) are.
void prefetch_places(const RecordTable& table, std::span<const std::uint32_t> columns) noexcept;
/// Asks for the memory in which the postings begin.
void prefetch_postings(const RecordTable& table, std::span<const std::uint32_t> columns) noexcept;

/// Adds value * weight to scores[slot * num_groups * 8 + lane] for the slot of each block: first
/// all pairs, then all masks, both in the order of the query's features, with one rounding a step
/// where the machine has fused multiply-add.
void add_records(const RecordTable& table, const RecordSearch& search, float* scores) noexcept;

}  // namespace mhe::kernels

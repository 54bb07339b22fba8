// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The hash of a term. With hashing, the columns of a model follow from it, so it never changes: the
// test pins values, and docs/text.md describes it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mhe::text {

static_assert(std::endian::native == std::endian::little, "words of bytes are read little-endian");

namespace internal {

inline constexpr std::uint64_t kHashLength = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
inline constexpr std::uint64_t kHashWord = 0xD6E8FEB86659FD93;    // odd, half of its bits set
inline constexpr std::uint64_t kHashPart = 0xA0761D6478BD642F;    // another such

/// The two halves of the 128-bit product, xored: every input bit reaches every output bit.
[[nodiscard]] constexpr std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

[[nodiscard]] inline std::uint64_t load_word(const char* bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// Ones in the lowest `n` bytes, n <= 8.
[[nodiscard]] constexpr std::uint64_t low_bytes(std::size_t n) noexcept {
  return n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * n)) - 1;
}

struct PairMask {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// [n]: which bytes of a 16-byte load belong to a string of n bytes. A table, so that the hash of a
/// short word has no branch to mispredict.
inline constexpr std::array<PairMask, 17> kPairMasks = [] {
  std::array<PairMask, 17> masks;
  for (std::size_t n = 0; n <= 16; ++n) {
    masks[n] = {low_bytes(n), n <= 8 ? 0 : low_bytes(n - 8)};
  }
  return masks;
}();

}  // namespace internal

/// How many bytes past the end of a string hash_padded() and head_padded() may read.
inline constexpr std::size_t kReadPadding = 16;

/// The first 16 bytes of a string, zero after its end.
struct Head {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Head&, const Head&) = default;
};

/// The head of a string that is followed by kReadPadding readable bytes.
[[nodiscard]] inline Head head_padded(const char* bytes, std::size_t size) noexcept {
  const internal::PairMask mask = internal::kPairMasks[size < 16 ? size : 16];
  return {internal::load_word(bytes) & mask.low, internal::load_word(bytes + 8) & mask.high};
}

/// The same for any string.
[[nodiscard]] inline Head head_of(std::string_view bytes) noexcept {
  std::array<char, 16> block = {};
  std::memcpy(block.data(), bytes.data(), bytes.size() < 16 ? bytes.size() : 16);
  return {internal::load_word(block.data()), internal::load_word(block.data() + 8)};
}

/// The hash of a string that is followed by kReadPadding readable bytes.
[[nodiscard]] inline std::uint64_t hash_padded(const char* bytes, std::size_t size) noexcept {
  using internal::fold_product;
  using internal::load_word;
  std::uint64_t hash = size * internal::kHashLength;
  while (size > 16) {
    hash = fold_product(hash ^ load_word(bytes), internal::kHashWord ^ load_word(bytes + 8));
    bytes += 16;
    size -= 16;
  }
  const internal::PairMask mask = internal::kPairMasks[size];
  return fold_product(hash ^ (load_word(bytes) & mask.low),
                      internal::kHashWord ^ (load_word(bytes + 8) & mask.high));
}

/// The same for any string.
[[nodiscard]] inline std::uint64_t hash_bytes(std::string_view bytes) noexcept {
  std::uint64_t hash = bytes.size() * internal::kHashLength;
  const auto add = [&hash](std::string_view piece) {
    std::array<char, 16> block = {};
    std::memcpy(block.data(), piece.data(), piece.size());
    hash = internal::fold_product(hash ^ internal::load_word(block.data()),
                                  internal::kHashWord ^ internal::load_word(block.data() + 8));
  };
  for (; bytes.size() > 16; bytes.remove_prefix(16)) add(bytes.substr(0, 16));
  add(bytes);
  return hash;
}

/// The hash of the n-gram "a b" from those of "a" (itself a word or an n-gram) and of the word "b".
[[nodiscard]] constexpr std::uint64_t join_hashes(std::uint64_t prefix,
                                                  std::uint64_t word) noexcept {
  return internal::fold_product(std::rotl(prefix, 23) ^ word, internal::kHashWord);
}

/// The hash of a term within a part of the features; part 0 keeps it as it is.
[[nodiscard]] constexpr std::uint64_t hash_in_part(std::uint64_t hash, std::size_t part) noexcept {
  return part == 0 ? hash : internal::fold_product(hash, internal::kHashPart + 2 * part);
}

/// What a character n-gram starts with in the vocabulary; no word contains it.
inline constexpr char kCharGramMark = '#';

/// The hash of a whole term as the vocabulary spells it: a word, words joined by spaces, or a
/// character n-gram behind its mark.
[[nodiscard]] inline std::uint64_t hash_term(std::string_view term) noexcept {
  if (!term.empty() && term.front() == kCharGramMark) return hash_bytes(term);
  std::size_t space = term.find(' ');
  std::uint64_t hash = hash_bytes(term.substr(0, space));
  while (space != std::string_view::npos) {
    term.remove_prefix(space + 1);
    space = term.find(' ');
    hash = join_hashes(hash, hash_bytes(term.substr(0, space)));
  }
  return hash;
}

/// The bucket of 2^bits that a hash falls into.
[[nodiscard]] constexpr std::uint32_t bucket_of(std::uint64_t hash, std::uint32_t bits) noexcept {
  return static_cast<std::uint32_t>(hash >> (64 - bits));
}

}  // namespace mhe::text

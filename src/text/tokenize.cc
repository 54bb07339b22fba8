// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/tokenize.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "text/code_points.h"
#include "text/hash.h"
#include "text/make_room.h"
#include "text/utf8.h"

namespace mhe::text {
namespace {

constexpr std::size_t kBlock = 64;  // bytes for which one word of mask bits stands
// Positions in a buffer are 32 bits, and a text may grow twelvefold when normalised.
constexpr std::size_t kMaxText = std::numeric_limits<std::uint32_t>::max() / 16;
constexpr std::size_t kMaxBuffer = std::numeric_limits<std::uint32_t>::max() / 4;

constexpr std::uint64_t kEveryByte = 0x0101010101010101;

constexpr std::uint64_t repeat(unsigned byte) noexcept {
  return kEveryByte * byte;
}

struct Folded {
  std::uint64_t bytes = 0;
  std::uint64_t word = 0;  // 0x80 in each byte that belongs to a word
};

// Eight bytes at once, in plain integer arithmetic. Adding 0x80 - c to a byte below 0x80 sets its
// top bit exactly if the byte is at least c, and never carries into the next byte.
Folded fold_eight(std::uint64_t bytes) noexcept {
  const std::uint64_t high = bytes & repeat(0x80);
  const std::uint64_t low = bytes & repeat(0x7F);
  const std::uint64_t small = low | repeat(0x20);
  const std::uint64_t alpha =
      (small + repeat(0x80 - 'a')) & ~(small + repeat(0x80 - ('z' + 1))) & ~high & repeat(0x80);
  const std::uint64_t digit =
      (low + repeat(0x80 - '0')) & ~(low + repeat(0x80 - ('9' + 1))) & repeat(0x80);
  return {bytes | (alpha >> 2), alpha | digit | high};
}

// Bit i of the result is the top bit of byte i: the product moves them together into the top byte.
std::uint64_t gather_top_bits(std::uint64_t word) noexcept {
  return ((word >> 7) * 0x0102040810204080) >> 56;
}

}  // namespace

void Tokenizer::append(std::string_view text, TokenBuffer& out) {
  if (text.size() > kMaxText || out.used_ > kMaxBuffer) {
    fail(ErrorCode::kResourceLimit, "a text of {} bytes; at most {} are supported", text.size(),
         kMaxText);
  }
  if (!is_ascii(text)) {
    normalize(text, normalize_scratch_, normalized_);
    text = normalized_;
  }
  fold(text);
  find_edges(text.size());
  append_tokens(out);
}

void Tokenizer::fold(std::string_view text) {
  const std::size_t blocks = text.size() / kBlock + 1;  // always a byte more, to end the last word
  make_room(folded_, blocks * kBlock + kReadPadding);
  make_room(word_masks_, blocks);
  for (std::size_t block = 0; block < blocks; ++block) {
    const char* source = text.data() + block * kBlock;
    char padded[kBlock] = {};  // zero bytes belong to no word
    if (block + 1 == blocks) {
      const std::size_t rest = text.size() - block * kBlock;
      if (rest > 0) std::memcpy(padded, source, rest);
      source = padded;
    }
    char* target = folded_.data() + block * kBlock;
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < kBlock; i += 8) {
      const Folded folded = fold_eight(internal::load_word(source + i));
      std::memcpy(target + i, &folded.bytes, 8);
      mask |= gather_top_bits(folded.word) << i;
    }
    word_masks_[block] = mask;
  }
}

void Tokenizer::find_edges(std::size_t size) {
  const std::size_t blocks = size / kBlock + 1;
  make_room(edges_, blocks * kBlock + 1);
  std::uint32_t* edge = edges_.data();
  std::uint64_t carry = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::uint64_t mask = word_masks_[block];
    std::uint64_t changes = mask ^ ((mask << 1) | carry);
    carry = mask >> 63;
    const auto base = static_cast<std::uint32_t>(block * kBlock);
    while (changes != 0) {
      *edge++ = base + static_cast<std::uint32_t>(std::countr_zero(changes));
      changes &= changes - 1;
    }
  }
  num_edges_ = static_cast<std::size_t>(edge - edges_.data());
}

void Tokenizer::append_tokens(TokenBuffer& out) const {
  if (num_edges_ == 0) return;
  // Words shrink nothing and gain one space each in place of at least one separator.
  const std::size_t room = edges_[num_edges_ - 1] + 1 + 2 * kReadPadding;
  make_room(out.bytes_, out.used_ + room);
  make_room(out.tokens_, out.num_tokens_ + num_edges_ / 2);
  Token* token = out.tokens_.data() + out.num_tokens_;
  char* const begin = out.bytes_.data();
  char* target = begin + out.used_;
  for (std::size_t i = 0; i < num_edges_; i += 2) {
    const char* word = folded_.data() + edges_[i];
    const std::size_t size = edges_[i + 1] - edges_[i];
    if (min_length_ > 1 && !is_long_enough(word, size)) continue;
    *token++ = {hash_padded(word, size), static_cast<std::uint32_t>(target - begin),
                static_cast<std::uint32_t>(size)};
    std::memcpy(target, word, 16);  // a fixed size is two moves; most words are shorter
    if (size > 16) std::memcpy(target + 16, word + 16, size - 16);
    target += size;
    *target++ = ' ';
  }
  out.num_tokens_ = static_cast<std::size_t>(token - out.tokens_.data());
  out.used_ = static_cast<std::size_t>(target - begin);
}

bool Tokenizer::is_long_enough(const char* bytes, std::size_t size) const {
  std::size_t length = 0;
  for (std::size_t i = 0; i < size; ++i) length += U8_IS_TRAIL(bytes[i]) ? 0 : 1;
  if (length >= min_length_) return true;
  if (U8_IS_SINGLE(bytes[0])) return false;
  std::size_t position = 0;
  return classify(next_code_point({bytes, size}, position)) == CharClass::kAlone;
}

}  // namespace mhe::text

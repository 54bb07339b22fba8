// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by fold_words.cc.
#if defined(MHE_KERNELS_FOLD_WORDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_FOLD_WORDS_INL_H
#undef MHE_KERNELS_FOLD_WORDS_INL_H
#else
#define MHE_KERNELS_FOLD_WORDS_INL_H
#endif

#include <bit>
#include <cstring>

#include <hwy/highway.h>

#include "kernels/fold_words.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using ByteTag = hn::CappedTag<std::uint8_t, kFoldBlock>;

// Folds one block and returns its mask; `all` collects the bits of all bytes.
HWY_INLINE std::uint64_t fold_block(const std::uint8_t* source, std::uint8_t* target,
                                    hn::Vec<ByteTag>& all) {
  const ByteTag d;
  const hn::RebindToSigned<ByteTag> di;
  const auto capital_bit = hn::Set(d, 0x20);
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < kFoldBlock; i += hn::Lanes(d)) {
    const auto bytes = hn::LoadU(d, source + i);
    all = hn::Or(all, bytes);
    // x <= c, for unsigned bytes, is x == min(x, c). No byte from 0x80 up comes near the letters.
    const auto letter = hn::Sub(hn::Or(bytes, capital_bit), hn::Set(d, 'a'));
    const auto digit = hn::Sub(bytes, hn::Set(d, '0'));
    const auto is_letter = hn::Eq(letter, hn::Min(letter, hn::Set(d, 25)));
    const auto is_digit = hn::Eq(digit, hn::Min(digit, hn::Set(d, 9)));
    const auto is_high = hn::RebindMask(d, hn::Lt(hn::BitCast(di, bytes), hn::Zero(di)));
    hn::StoreU(hn::Or(bytes, hn::IfThenElseZero(is_letter, capital_bit)), d, target + i);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Or(is_letter, hn::Or(is_digit, is_high)), bits);
    std::uint64_t word = 0;
    std::memcpy(&word, bits, sizeof word);
    mask |= word << i;
  }
  return mask;
}

bool fold_words(const char* text, std::size_t size, char* folded, std::uint64_t* masks) {
  const ByteTag d;
  auto all = hn::Zero(d);
  const std::size_t last = size / kFoldBlock;
  const auto* source = reinterpret_cast<const std::uint8_t*>(text);
  auto* target = reinterpret_cast<std::uint8_t*>(folded);
  for (std::size_t block = 0; block < last; ++block) {
    masks[block] = fold_block(source + block * kFoldBlock, target + block * kFoldBlock, all);
  }
  std::uint8_t padded[kFoldBlock] = {};
  const std::size_t rest = size - last * kFoldBlock;
  if (rest > 0) std::memcpy(padded, source + last * kFoldBlock, rest);
  masks[last] = fold_block(padded, target + last * kFoldBlock, all);
  const hn::RebindToSigned<ByteTag> di;
  return hn::AllFalse(di, hn::Lt(hn::BitCast(di, all), hn::Zero(di)));
}

// Edges are written eight at a time, without asking after each whether there is another: a text has
// 10 to 20 of them in a block, and a loop that ends at a different count every time mispredicts.
HWY_INLINE std::uint32_t* write_eight(std::uint64_t& changes, std::uint32_t base,
                                      std::uint32_t* edges) {
  for (std::size_t i = 0; i < 8; ++i) {
    edges[i] = base + static_cast<std::uint32_t>(std::countr_zero(changes));
    changes &= changes - 1;
  }
  return edges + 8;
}

std::size_t find_word_edges(const std::uint64_t* masks, std::size_t blocks, std::uint32_t* edges) {
  std::uint32_t* next = edges;
  std::uint64_t carry = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::uint64_t mask = masks[block];
    std::uint64_t changes = mask ^ ((mask << 1) | carry);
    carry = mask >> 63;
    const auto base = static_cast<std::uint32_t>(block * kFoldBlock);
    const auto count = static_cast<std::size_t>(std::popcount(changes));
    std::uint32_t* at = write_eight(changes, base, next);
    if (count > 8) at = write_eight(changes, base, at);
    if (count > 16) at = write_eight(changes, base, at);
    while (changes != 0) at = write_eight(changes, base, at);
    next += count;
  }
  return static_cast<std::size_t>(next - edges);
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

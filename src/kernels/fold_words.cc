// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fold_words.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/fold_words.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/fold_words-inl.h"

#if HWY_ONCE
namespace mhe::kernels {

HWY_EXPORT(fold_words);
HWY_EXPORT(find_word_edges);

bool fold_words(const char* text, std::size_t size, char* folded, std::uint64_t* masks) noexcept {
  return HWY_DYNAMIC_DISPATCH(fold_words)(text, size, folded, masks);
}

std::size_t find_word_edges(const std::uint64_t* masks, std::size_t blocks,
                            std::uint32_t* edges) noexcept {
  return HWY_DYNAMIC_DISPATCH(find_word_edges)(masks, blocks, edges);
}

bool fold_words_reference(const char* text, std::size_t size, char* folded,
                          std::uint64_t* masks) noexcept {
  const std::size_t blocks = num_fold_blocks(size);
  std::fill_n(folded, blocks * kFoldBlock, '\0');
  std::fill_n(masks, blocks, 0);
  bool is_ascii = true;
  for (std::size_t i = 0; i < size; ++i) {
    const char byte = text[i];
    const bool is_capital = byte >= 'A' && byte <= 'Z';
    const bool is_high = static_cast<unsigned char>(byte) >= 0x80;
    const bool is_word =
        is_capital || is_high || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
    folded[i] = is_capital ? static_cast<char>(byte - 'A' + 'a') : byte;
    if (is_word) masks[i / kFoldBlock] |= std::uint64_t{1} << (i % kFoldBlock);
    is_ascii = is_ascii && !is_high;
  }
  return is_ascii;
}

}  // namespace mhe::kernels
#endif

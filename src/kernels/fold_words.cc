// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fold_words.h"

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

}  // namespace mhe::kernels
#endif

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace mhe::kernels {

/// Bytes for which one word of mask bits stands.
inline constexpr std::size_t kFoldBlock = 64;
/// How far past the last edge find_word_edges() may write.
inline constexpr std::size_t kEdgeSlack = 8;

/// Blocks of a text: always a byte more than it has, to end its last word.
[[nodiscard]] constexpr std::size_t num_fold_blocks(std::size_t size) noexcept {
  return size / kFoldBlock + 1;
}

/// Writes the text with A to Z made small to `folded`, zeros after it, and sets bit i of masks[j]
/// if byte 64 j + i belongs to a word: ASCII letters and digits and every byte from 0x80 up.
/// Returns whether all bytes are below 0x80. Both outputs hold num_fold_blocks(size) blocks.
bool fold_words(const char* text, std::size_t size, char* folded, std::uint64_t* masks) noexcept;

/// Writes where words begin and end: begin, end, begin, end ... Returns the number of edges, which
/// is even if the last byte belongs to no word. `edges` holds that many and kEdgeSlack more.
std::size_t find_word_edges(const std::uint64_t* masks, std::size_t blocks,
                            std::uint32_t* edges) noexcept;

}  // namespace mhe::kernels

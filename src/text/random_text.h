// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: random text that meets the odd corners of Unicode.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.h"
#include "text/utf8.h"

namespace mhe::text {

inline std::uint32_t random_code_point(RandomStream& random) {
  std::uint32_t c = 0;
  do {
    switch (random.below(12)) {
      case 0:
        c = static_cast<std::uint32_t>(random.below(0x110000));
        break;
      case 1:
        c = static_cast<std::uint32_t>(random.below(0x20000));
        break;
      case 2:
        c = 0x300 + static_cast<std::uint32_t>(random.below(0x70));
        break;  // marks
      case 3:
        c = 0x80 + static_cast<std::uint32_t>(random.below(0x500));
        break;  // Latin, Greek
      case 4:
        c = 0x3040 + static_cast<std::uint32_t>(random.below(0x400));
        break;  // kana and such
      case 5:
        c = 0x1100 + static_cast<std::uint32_t>(random.below(0x100));
        break;  // Hangul jamo
      case 6:
        c = 0xAC00 + static_cast<std::uint32_t>(random.below(0x400));
        break;  // Hangul
      case 7:
        c = 0xE00 + static_cast<std::uint32_t>(random.below(0x180));
        break;  // Thai, Lao
      default:
        c = static_cast<std::uint32_t>(random.below(0x80));
        break;
    }
  } while (c >= 0xD800 && c < 0xE000);
  return c;
}

/// Up to `longest` code points; now and then a byte that is no UTF-8.
inline std::string random_text(RandomStream& random, std::size_t longest) {
  std::string out;
  for (std::size_t i = random.below(longest + 1); i > 0; --i) {
    if (random.below(40) == 0) {
      out += static_cast<char>(random.below(256));
    } else {
      append_code_point(out, random_code_point(random));
    }
  }
  return out;
}

inline constexpr std::array<std::string_view, 14> kSomeWords = {
    "the",    "Common", "fisheries",   "policy",     "Caf\u00e9", "a",  "electroencephalography",
    "\u4e2d", "\u56fd", "Stra\u00dfe", "cafe\u0301", "\ufb01sh",  "x1", "of"};

/// Words of a small vocabulary, so that they repeat.
inline std::string random_words(RandomStream& random, std::size_t longest) {
  std::string out;
  for (std::size_t i = random.below(longest + 1); i > 0; --i) {
    const std::size_t rank = random.below(1 + random.below(60));
    out += rank < kSomeWords.size() ? std::string(kSomeWords[rank]) : "w" + std::to_string(rank);
    out += random.below(9) == 0 ? ", " : " ";
  }
  return out;
}

}  // namespace mhe::text

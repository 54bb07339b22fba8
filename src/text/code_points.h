// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the text pipeline knows of a code point: one table look-up for planes 0 and 1, ICU beyond.
#pragma once

#include <cstdint>
#include <vector>

namespace mhe::text {

/// What a normalised code point does in a text.
enum class CharClass : std::uint8_t {
  kSeparator,  ///< no part of a word
  kWord,       ///< letter or digit
  kMark,       ///< combining mark: continues a word, starts none
  kAlone,      ///< letter of a script written without spaces: a word by itself, with its marks
};

/// What is known of a code point before normalisation.
struct CodePoint {
  std::uint32_t mapped = 0;  ///< its NFKC_Casefold if `simple`
  CharClass mapped_class = CharClass::kSeparator;
  bool simple = false;           ///< maps to exactly one code point
  bool boundary_before = false;  ///< normalises independently of what stands before it
};

/// The class of a code point, by its Unicode category and script. Meant for normalised text.
[[nodiscard]] CharClass classify(std::uint32_t code_point);

/// Properties by code point, filled once from ICU. Immutable; safe to share.
class CodePointTable {
 public:
  /// The table of this process; the first call takes some milliseconds to fill it. Throws
  /// kInternal if ICU has lost its data.
  [[nodiscard]] static const CodePointTable& instance();

  [[nodiscard]] CodePoint operator[](std::uint32_t code_point) const {
    return code_point < kTableSize ? unpack(packed_[code_point]) : look_up(code_point);
  }

 private:
  static constexpr std::uint32_t kTableSize = 0x20000;  // planes 0 and 1: all but rare ideographs
  static constexpr std::uint32_t kCodePointBits = 21;

  CodePointTable();
  [[nodiscard]] static CodePoint look_up(std::uint32_t code_point);
  [[nodiscard]] static std::uint32_t pack(const CodePoint& properties) noexcept;
  [[nodiscard]] static CodePoint unpack(std::uint32_t packed) noexcept {
    return {packed & ((1U << kCodePointBits) - 1),
            static_cast<CharClass>((packed >> kCodePointBits) & 3U),
            ((packed >> (kCodePointBits + 2)) & 1U) != 0,
            ((packed >> (kCodePointBits + 3)) & 1U) != 0};
  }

  std::vector<std::uint32_t> packed_;
};

}  // namespace mhe::text

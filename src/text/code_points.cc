// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/code_points.h"

#include <array>
#include <cstddef>

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf16.h>

#include "text/normalize.h"

namespace mhe::text {
namespace {

bool is_written_without_spaces(UChar32 c) {
  for (const UScriptCode script : {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_THAI,
                                   USCRIPT_LAO, USCRIPT_KHMER, USCRIPT_MYANMAR, USCRIPT_TIBETAN}) {
    if (uscript_hasScript(c, script) != 0) return true;
  }
  return false;
}

}  // namespace

CharClass classify(std::uint32_t code_point) {
  const auto c = static_cast<UChar32>(code_point);
  const std::uint32_t category = U_GET_GC_MASK(c);
  if ((category & U_GC_M_MASK) != 0) return CharClass::kMark;
  if ((category & (U_GC_L_MASK | U_GC_N_MASK)) == 0) return CharClass::kSeparator;
  const bool may_stand_alone = (category & (U_GC_L_MASK | U_GC_NL_MASK)) != 0 && code_point >= 0x80;
  return may_stand_alone && is_written_without_spaces(c) ? CharClass::kAlone : CharClass::kWord;
}

const CodePointTable& CodePointTable::instance() {
  static const CodePointTable table;
  return table;
}

CodePointTable::CodePointTable() : packed_(kTableSize) {
  for (std::uint32_t c = 0; c < kTableSize; ++c) packed_[c] = pack(look_up(c));
}

CodePoint CodePointTable::look_up(std::uint32_t code_point) {
  const IcuNormalizer& icu = IcuNormalizer::instance();
  CodePoint properties;
  properties.boundary_before = icu.has_boundary_before(code_point);
  std::array<char16_t, 2> source = {};
  std::size_t source_size = 0;
  U16_APPEND_UNSAFE(source.data(), source_size, code_point);
  std::array<char16_t, 64> result = {};  // the longest of any code point is 18
  const std::size_t size = icu.normalize({source.data(), source_size}, result);
  if (size == 0 || size > 2) return properties;
  std::uint32_t mapped = 0;
  std::size_t used = 0;
  U16_NEXT(result.data(), used, size, mapped);
  properties.simple = used == size;
  properties.mapped = mapped;
  properties.mapped_class = classify(mapped);
  return properties;
}

std::uint32_t CodePointTable::pack(const CodePoint& properties) noexcept {
  return properties.mapped |
         (static_cast<std::uint32_t>(properties.mapped_class) << kCodePointBits) |
         (static_cast<std::uint32_t>(properties.simple) << (kCodePointBits + 2)) |
         (static_cast<std::uint32_t>(properties.boundary_before) << (kCodePointBits + 3));
}

}  // namespace mhe::text

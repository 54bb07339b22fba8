// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The smallest TrueType font that FreeType reads, for tests: filled triangles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mhe::testing {

/// A character of a font and its triangle, in units of a thousandth of the em; three equal points
/// make an empty glyph.
struct TinyGlyph {
  char32_t character = 0;
  std::int16_t x[3] = {0, 0, 0};
  std::int16_t y[3] = {0, 0, 0};

  [[nodiscard]] bool empty() const {
    return x[0] == x[1] && x[1] == x[2] && y[0] == y[1] && y[1] == y[2];
  }
};

namespace internal {

inline std::string u16(unsigned value) {
  return {static_cast<char>(value >> 8U & 0xFFU), static_cast<char>(value & 0xFFU)};
}
inline std::string u32(std::size_t value) {
  return u16(static_cast<unsigned>(value >> 16U & 0xFFFFU)) +
         u16(static_cast<unsigned>(value & 0xFFFFU));
}
inline std::string i16(int value) {
  return u16(static_cast<unsigned>(value));
}

inline std::string outline(const TinyGlyph& glyph) {
  if (glyph.empty()) return {};
  const auto [x_min, x_max] = std::minmax_element(glyph.x, glyph.x + 3);
  const auto [y_min, y_max] = std::minmax_element(glyph.y, glyph.y + 3);
  std::string bytes = i16(1) + i16(*x_min) + i16(*y_min) + i16(*x_max) + i16(*y_max);
  bytes += u16(2) + u16(0) + std::string(3, '\x01');  // last point, no program, on the curve
  for (const auto* points : {glyph.x, glyph.y}) {
    int last = 0;
    for (int i = 0; i < 3; ++i) bytes += i16(points[i] - std::exchange(last, points[i]));
  }
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

}  // namespace internal

/// The font file. Characters must ascend; glyph 0, .notdef, is `missing`.
inline std::string tiny_font(const TinyGlyph& missing, const std::vector<TinyGlyph>& glyphs) {
  using internal::i16;
  using internal::u16;
  using internal::u32;
  std::string glyf = internal::outline(missing);
  std::string loca = u32(0) + u32(glyf.size());
  std::string groups;
  for (std::size_t i = 0; i < glyphs.size(); ++i) {
    glyf += internal::outline(glyphs[i]);
    loca += u32(glyf.size());
    groups += u32(glyphs[i].character) + u32(glyphs[i].character) + u32(i + 1);
  }
  const auto count = static_cast<unsigned>(glyphs.size() + 1);
  const std::string cmap = u16(0) + u16(1) + u16(3) + u16(10) + u32(12) + u16(12) + u16(0) +
                           u32(16 + groups.size()) + u32(0) + u32(glyphs.size()) + groups;
  const std::string head = u32(0x10000) + u32(0x10000) + u32(0) + u32(0x5F0F3CF5) + u16(0) +
                           u16(1000) + std::string(16, '\0') + i16(0) + i16(0) + i16(1000) +
                           i16(1000) + u16(0) + u16(8) + u16(2) + u16(1) + u16(0);
  const std::string hhea =
      u32(0x10000) + i16(800) + i16(-200) + i16(0) + u16(1000) + std::string(22, '\0') + u16(1);
  const std::string hmtx = u16(1000) + u16(0) + std::string(2 * (count - 1), '\0');
  std::string maxp = u32(0x10000) + u16(count) + u16(3) + u16(1) + std::string(22, '\0');
  const std::vector<std::pair<std::string, std::string>> tables = {
      {"cmap", cmap}, {"glyf", glyf}, {"head", head}, {"hhea", hhea},
      {"hmtx", hmtx}, {"loca", loca}, {"maxp", maxp}};
  std::string directory =
      u32(0x10000) + u16(static_cast<unsigned>(tables.size())) + u16(64) + u16(2) + u16(48);
  std::size_t offset = directory.size() + 16 * tables.size();
  std::string body;
  for (const auto& [name, table] : tables) {
    directory += name + u32(0) + u32(offset + body.size()) + u32(table.size());
    body += table;
    body.resize((body.size() + 3) / 4 * 4);
  }
  return directory + body;
}

}  // namespace mhe::testing

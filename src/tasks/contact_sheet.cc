// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/contact_sheet.h"

#include <algorithm>
#include <string_view>

#include <zlib.h>

#include "base/check.h"

namespace mhe::tasks {
namespace {

constexpr std::size_t kCell = kGlyphSide + 4;
constexpr std::size_t kGap = 6;
constexpr std::uint8_t kWhite = 255;
constexpr std::uint8_t kGrey = 160;

void paint(const Picture& picture, std::size_t left, std::size_t top, GreyImage& image) {
  for (std::size_t y = 0; y < kGlyphSide; ++y) {
    for (std::size_t x = 0; x < kGlyphSide; ++x) {
      image.pixels[(top + y) * image.width + left + x] =
          static_cast<std::uint8_t>(kWhite - picture[y * kGlyphSide + x]);
    }
  }
}

void append_big_endian(std::uint32_t value, std::string& out) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(value >> shift & 0xFFU);
}

// Length, name, content, and a checksum of the latter two.
void append_chunk(std::string_view name, std::string_view content, std::string& out) {
  append_big_endian(static_cast<std::uint32_t>(content.size()), out);
  const std::string body = std::string(name) + std::string(content);
  out += body;
  const uLong checksum = crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  append_big_endian(static_cast<std::uint32_t>(checksum), out);
}

std::string deflate_all(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9);
  MHE_ASSERT(status == Z_OK);
  out.resize(size);
  return out;
}

}  // namespace

std::string encode_png(const GreyImage& image) {
  constexpr std::size_t kLargestSide = 1U << 20U;
  require(image.width > 0 && image.height > 0 && image.width <= kLargestSide &&
              image.height <= kLargestSide && image.pixels.size() == image.width * image.height,
          "a picture of {} x {} cannot have {} pixels", image.width, image.height,
          image.pixels.size());
  std::string header;
  append_big_endian(static_cast<std::uint32_t>(image.width), header);
  append_big_endian(static_cast<std::uint32_t>(image.height), header);
  header += std::string_view("\x08\x00\x00\x00\x00", 5);  // 8 bits, grey, the usual methods
  std::string rows;
  for (std::size_t y = 0; y < image.height; ++y) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(image.pixels.data()) + y * image.width, image.width);
  }
  std::string png = "\x89PNG\r\n\x1A\n";
  append_chunk("IHDR", header, png);
  append_chunk("IDAT", deflate_all(rows), png);
  append_chunk("IEND", "", png);
  return png;
}

void ContactSheet::add_gap() {
  gaps_.push_back(lines_.size());
}

std::string ContactSheet::png() const {
  GreyImage image;
  image.width = kColumns * kCell;
  image.height = std::max<std::size_t>(1, lines_.size() * kCell + gaps_.size() * kGap);
  image.pixels.assign(image.width * image.height, kWhite);
  std::size_t top = 0;
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    if (std::find(gaps_.begin(), gaps_.end(), line) != gaps_.end()) {
      const auto begin = image.pixels.begin() + static_cast<std::ptrdiff_t>(top * image.width);
      std::fill_n(begin, (kGap - 2) * image.width, kGrey);
      top += kGap;
    }
    require(lines_[line].size() <= kColumns, "a line of {} pictures; expected at most {}",
            lines_[line].size(), kColumns);
    for (std::size_t column = 0; column < lines_[line].size(); ++column) {
      paint(lines_[line][column], column * kCell + 2, top + 2, image);
    }
    top += kCell;
  }
  return encode_png(image);
}

}  // namespace mhe::tasks

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/contact_sheet.h"

#include <algorithm>

#include "base/check.h"
#include "tasks/png.h"

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

}  // namespace

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

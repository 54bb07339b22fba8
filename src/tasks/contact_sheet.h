// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tasks/glyph_renderer.h"

namespace mhe::tasks {

/// A grey picture of any size, row by row; 0 is black.
struct GreyImage {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> pixels;
};

/// The picture as a PNG file.
[[nodiscard]] std::string encode_png(const GreyImage& image);

/// Pictures side by side, line by line, for a person to look at: black on white.
class ContactSheet {
 public:
  static constexpr std::size_t kColumns = 24;

  void begin_line() { lines_.emplace_back(); }
  /// A grey bar between two lines.
  void add_gap();
  /// The next picture of the line, of which there are at most kColumns.
  void add(const Picture& picture) { lines_.back().push_back(picture); }
  [[nodiscard]] std::string png() const;

 private:
  std::vector<std::vector<Picture>> lines_;
  std::vector<std::size_t> gaps_;  // lines that have one above
};

}  // namespace mhe::tasks

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plain text that lines up: tables and bars.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mhe::app {

/// Cells in columns, the first to the left, all others to the right, two blanks between. A table
/// that is too wide is cut into several below each other, each with the first column.
class Table {
 public:
  void add_row(std::vector<std::string> cells);
  /// Lines, each ended; no line is longer than `width` unless a single column needs it.
  [[nodiscard]] std::string render(std::size_t width) const;

 private:
  [[nodiscard]] std::vector<std::size_t> column_widths() const;
  void render_columns(std::size_t first, std::size_t last, const std::vector<std::size_t>& widths,
                      std::string& out) const;

  std::vector<std::vector<std::string>> rows_;
};

/// How bars are drawn.
enum class BarStyle { kBlocks, kAscii };

/// Blocks if the locale of the environment is UTF-8.
[[nodiscard]] BarStyle bar_style_of_environment();

/// A bar of `share` (0 to 1) of `width` columns, padded with blanks to the full width. A share
/// above 0 always shows.
[[nodiscard]] std::string draw_bar(double share, std::size_t width, BarStyle style);

/// Columns that UTF-8 text takes, a column for each character.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// `text` without control characters, cut to `width` columns with dots at the end if it is longer.
[[nodiscard]] std::string fit(std::string_view text, std::size_t width);

}  // namespace mhe::app

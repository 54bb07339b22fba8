// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace mhe::app {
namespace {

constexpr std::size_t kGap = 2;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return value == nullptr ? "" : value;
}

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::column_widths() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  return widths;
}

std::string Table::render(std::size_t width) const {
  const std::vector<std::size_t> widths = column_widths();
  std::string out;
  std::size_t first = 1;
  do {
    std::size_t last = first;
    std::size_t used = widths.empty() ? 0 : widths[0];
    while (last < widths.size() && (last == first || used + kGap + widths[last] <= width)) {
      used += kGap + widths[last++];
    }
    if (!out.empty()) out += '\n';
    render_columns(first, last, widths, out);
    first = last;
  } while (first < widths.size());
  return out;
}

void Table::render_columns(std::size_t first, std::size_t last,
                           const std::vector<std::size_t>& widths, std::string& out) const {
  for (const auto& row : rows_) {
    std::string line = row.empty() ? "" : row[0];
    if (!row.empty()) line.append(widths[0] - display_width(row[0]), ' ');
    for (std::size_t i = first; i < std::min(last, row.size()); ++i) {
      line.append(kGap + widths[i] - display_width(row[i]), ' ');
      line += row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
}

BarStyle bar_style_of_environment() {
  std::string locale = environment("LC_ALL");
  if (locale.empty()) locale = environment("LC_CTYPE");
  if (locale.empty()) locale = environment("LANG");
  std::transform(locale.begin(), locale.end(), locale.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool utf8 =
      locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  return utf8 ? BarStyle::kBlocks : BarStyle::kAscii;
}

std::string draw_bar(double share, std::size_t width, BarStyle style) {
  // Eighths of a column, from none to seven.
  constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const std::size_t steps = style == BarStyle::kBlocks ? kParts.size() : 1;
  const double length = std::clamp(share, 0.0, 1.0) * static_cast<double>(width * steps);
  auto filled = static_cast<std::size_t>(std::lround(length));
  if (share > 0) filled = std::max<std::size_t>(filled, 1);
  std::string bar;
  for (std::size_t i = 0; i < filled / steps; ++i) bar += style == BarStyle::kBlocks ? "█" : "#";
  const std::string_view part = kParts[filled % steps];
  bar += part;
  bar.append(width - filled / steps - (part.empty() ? 0 : 1), ' ');
  return bar;
}

std::size_t display_width(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

std::string fit(std::string_view text, std::size_t width) {
  std::string clean(text);
  for (char& c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = '?';
  }
  if (display_width(clean) <= width || width < 3) return clean;
  std::size_t end = 0;
  for (std::size_t shown = 0; end < clean.size(); ++end) {
    if (!continues_character(clean[end]) && ++shown > width - 3) break;
  }
  return clean.substr(0, end) + "...";
}

}  // namespace mhe::app

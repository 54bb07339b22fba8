// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "charts/svg.h"

#include <cmath>

#include <fmt/format.h>

#include "output/units.h"

namespace mhe::app {

std::string escape_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string shorten(std::string_view text, std::size_t max_characters) {
  const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  std::size_t characters = 0;
  std::size_t cut = text.size();  // where the last character that stays would be replaced
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_inside(text[i])) continue;
    ++characters;
    if (characters == max_characters) cut = i;
  }
  if (characters <= max_characters) return std::string(text);
  return std::string(text.substr(0, cut)) + "…";
}

std::vector<double> round_ticks(double low, double high, std::size_t max_ticks) {
  const double least = (high - low) / static_cast<double>(max_ticks);
  const double power = std::pow(10, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    // A step as good as wide enough must not fall to the next by rounding.
    if (factor * power >= least * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9);
  const double last = std::ceil(high / step - 1e-9);
  for (double i = first; i <= last; ++i) ticks.push_back(i * step);
  return ticks;
}

std::string format_tick(double value) {
  const double size = std::fabs(value);
  if (size >= 1000) {
    return (value < 0 ? "-" : "") + format_count(static_cast<std::uint64_t>(std::llround(size)));
  }
  return fmt::format("{:.4g}", size < 1e-12 ? 0.0 : value);
}

std::string svg_begin(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n",
      width, height);
}

std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escape_markup(text));
}

std::string svg_rule(double x, double top, double bottom, std::string_view colour) {
  return fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"{3}\"/>\n",
                     x, top, bottom, colour);
}

}  // namespace mhe::app

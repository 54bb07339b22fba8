// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "charts/bar_svg.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "charts/svg.h"

namespace mhe::app {
namespace {

constexpr double kWidth = 720;
constexpr double kLeft = 170;   // room for the names
constexpr double kRight = 190;  // and for the notes
constexpr double kTop = 40;
constexpr double kBottom = 44;
constexpr double kStep = 26;
constexpr double kBar = 18;
constexpr std::size_t kTicks = 5;

}  // namespace

std::string bar_svg(std::span<const NamedBar> bars, std::string_view title, std::string_view unit) {
  double most = 0;
  for (const NamedBar& bar : bars) most = std::max(most, bar.value);
  const std::vector<double> ticks = round_ticks(0, most > 0 ? most : 1, kTicks);
  const double full = ticks.back();
  const double height = kTop + kStep * static_cast<double>(bars.size()) + kBottom;
  const double plot_width = kWidth - kLeft - kRight;
  const double floor = height - kBottom;
  std::string svg = svg_begin(kWidth, height);
  svg += svg_text(16, 20, "start", title);
  for (const double tick : ticks) {
    const double x = kLeft + tick / full * plot_width;
    svg += svg_rule(x, kTop, floor, "#dddddd");
    svg += svg_text(x, floor + 16, "middle", format_tick(tick));
  }
  double y = kTop + (kStep - kBar) / 2;
  for (const NamedBar& bar : bars) {
    const double length = bar.value / full * plot_width;
    const double baseline = y + kBar - 5;
    svg += svg_text(kLeft - 8, baseline, "end", bar.name);
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#4477aa\"/>\n",
        kLeft, y, std::max(1.0, length), kBar);
    svg += svg_text(kLeft + length + 6, baseline, "start", bar.note);
    y += kStep;
  }
  svg += svg_text(kLeft + plot_width / 2, height - 8, "middle", unit);
  return svg + "</svg>\n";
}

}  // namespace mhe::app

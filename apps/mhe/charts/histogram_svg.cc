// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "charts/histogram_svg.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "charts/svg.h"

namespace mhe::app {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 320;
constexpr double kLeft = 56;
constexpr double kRight = 16;
constexpr double kTop = 44;
constexpr double kBottom = 48;
constexpr std::size_t kBars = 60;
constexpr std::size_t kTicks = 6;

}  // namespace

std::string histogram_svg(std::span<const double> sorted, std::string_view title,
                          std::string_view unit, std::span<const Marker> markers) {
  const double last = sorted[std::min(sorted.size() - 1, sorted.size() * 995 / 1000)];
  const double range = last > 0 ? last * 1.02 : 1;
  std::vector<std::size_t> counts(kBars, 0);
  for (const double value : sorted) {
    const auto bar = static_cast<std::size_t>(std::max(0.0, value) / range * kBars);
    ++counts[std::min(bar, kBars - 1)];
  }
  const auto most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  const double plot_width = kWidth - kLeft - kRight;
  const double plot_height = kHeight - kTop - kBottom;
  const auto x_of = [&](double value) { return kLeft + std::min(1.0, value / range) * plot_width; };
  const double floor = kHeight - kBottom;
  std::string svg = svg_begin(kWidth, kHeight);
  svg += svg_text(kLeft, 20, "start", title);
  for (std::size_t bar = 0; bar < kBars; ++bar) {
    const double height = static_cast<double>(counts[bar]) / most * plot_height;
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#4477aa\"/>\n",
        kLeft + static_cast<double>(bar) / kBars * plot_width, floor - height,
        plot_width / kBars - 1, height);
  }
  for (const double tick : round_ticks(0, range, kTicks)) {
    if (tick > range) continue;
    svg += svg_rule(x_of(tick), floor, floor + 4, "#888888");
    svg += svg_text(x_of(tick), floor + 18, "middle", format_tick(tick));
  }
  svg += svg_text(kLeft + plot_width / 2, kHeight - 10, "middle", unit);
  svg += svg_text(kLeft - 6, kTop + 4, "end", format_tick(most));
  svg += svg_text(kLeft - 6, floor, "end", "0");
  double label_y = kTop + 4;
  std::string labels;
  for (const Marker& marker : markers) {
    const double x = x_of(marker.value);
    svg += svg_rule(x, kTop, floor, "#cc3311");
    const bool left_side = x > kWidth - 120;
    labels += svg_text(left_side ? x - 4 : x + 4, label_y, left_side ? "end" : "start",
                       fmt::format("{} {:.3g}{}", marker.name, marker.value,
                                   marker.value > range ? ", further right" : ""));
    label_y += 16;
  }
  // Letters with a rim can be read on bars.
  return svg + R"(<g stroke="#ffffff" stroke-width="4" paint-order="stroke">)" + "\n" + labels +
         "</g>\n</svg>\n";
}

}  // namespace mhe::app

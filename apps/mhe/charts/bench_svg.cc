// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "charts/bench_svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "charts/svg.h"

namespace mhe::app {
namespace {

// Of a panel of lines.
constexpr double kPanelWidth = 380;
constexpr double kLeft = 62;
constexpr double kRight = 14;
constexpr double kTop = 58;
constexpr double kPlotHeight = 240;
constexpr double kBottom = 76;  // ticks, the axis' name, the legend
// Told apart also by those who see fewer colours (Paul Tol's bright scheme).
constexpr std::array kColours = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377"};

// Whole powers of ten around all values of an axis.
struct LogAxis {
  int low = 0;
  int high = 1;

  void include(double value) {
    low = std::min(low, static_cast<int>(std::floor(std::log10(value) + 1e-9)));
    high = std::max(high, static_cast<int>(std::ceil(std::log10(value) - 1e-9)));
  }
  [[nodiscard]] double share(double value) const {
    return (std::log10(value) - low) / (high - low);
  }
};

std::string power_of_ten(int exponent) {
  if (exponent >= 0 && exponent <= 3) return fmt::format("{:.0f}", std::pow(10, exponent));
  return fmt::format("1e{}", exponent);
}

std::string draw_grid(const LinePanel& panel, const LogAxis& x_axis, const LogAxis& y_axis,
                      double left) {
  const double width = kPanelWidth - kLeft - kRight;
  const double floor = kTop + kPlotHeight;
  std::string svg = svg_text(left, kTop - 12, "start", panel.title);
  for (int power = x_axis.low; power <= x_axis.high; ++power) {
    const double x = left + width * x_axis.share(std::pow(10, power));
    svg += svg_rule(x, kTop, floor, "#dddddd");
    svg += svg_text(x, floor + 16, "middle", power_of_ten(power));
  }
  for (int power = y_axis.low; power <= y_axis.high; ++power) {
    const double y = floor - kPlotHeight * y_axis.share(std::pow(10, power));
    svg += fmt::format(
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#dddddd\"/>\n",
        left, left + width, y, y);
    svg += svg_text(left - 6, y + 4, "end", power_of_ten(power));
  }
  svg += svg_text(left + width / 2, floor + 34, "middle", panel.x_name);
  svg += fmt::format(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 {0:.1f} "
      "{1:.1f})\">{2}</text>\n",
      left - 44, kTop + kPlotHeight / 2, panel.y_name);
  return svg;
}

std::string draw_panel(const LinePanel& panel, double left) {
  LogAxis x_axis = {1000, -1000};
  LogAxis y_axis = {1000, -1000};
  for (const LineSeries& series : panel.series) {
    for (const LinePoint& point : series.points) {
      x_axis.include(point.x);
      y_axis.include(point.y);
    }
  }
  if (x_axis.low > x_axis.high) return {};
  x_axis.high = std::max(x_axis.high, x_axis.low + 1);
  y_axis.high = std::max(y_axis.high, y_axis.low + 1);
  std::string svg = draw_grid(panel, x_axis, y_axis, left);
  const double width = kPanelWidth - kLeft - kRight;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const char* colour = kColours[i % kColours.size()];
    std::string path;
    for (const LinePoint& point : panel.series[i].points) {
      const double x = left + width * x_axis.share(point.x);
      const double y = kTop + kPlotHeight * (1 - y_axis.share(point.y));
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", x, y);
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", x, y,
                         colour);
    }
    if (path.empty()) continue;
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path,
                       colour);
  }
  return svg;
}

}  // namespace

std::string bar_svg(std::span<const NamedBar> bars, std::string_view title, std::string_view unit) {
  constexpr double kWidth = 720;
  constexpr double kLeft = 170;   // room for the names
  constexpr double kRight = 190;  // and for the notes
  constexpr double kTop = 40;
  constexpr double kBottom = 44;
  constexpr double kStep = 26;
  constexpr double kBar = 18;
  constexpr std::size_t kTicks = 5;
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

std::string histogram_svg(std::span<const double> sorted, std::string_view title,
                          std::string_view unit, std::span<const Marker> markers) {
  constexpr double kWidth = 720;
  constexpr double kHeight = 320;
  constexpr double kLeft = 56;
  constexpr double kRight = 16;
  constexpr double kTop = 44;
  constexpr double kBottom = 48;
  constexpr std::size_t kBars = 60;
  constexpr std::size_t kTicks = 6;
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

std::string line_svg(std::span<const LinePanel> panels, std::string_view title) {
  const double width = kPanelWidth * static_cast<double>(panels.size());
  const double height = kTop + kPlotHeight + kBottom;
  std::string svg = svg_begin(width, height);
  svg += svg_text(16, 20, "start", title);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    svg += draw_panel(panels[i], kPanelWidth * static_cast<double>(i) + kLeft);
  }
  double x = kLeft;
  const double y = height - 14;
  for (std::size_t i = 0; !panels.empty() && i < panels[0].series.size(); ++i) {
    const std::string& name = panels[0].series[i].name;
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"/>\n", x, y - 4,
                       kColours[i % kColours.size()]);
    svg += svg_text(x + 10, y, "start", name);
    x += 34 + 7 * static_cast<double>(name.size());
  }
  return svg + "</svg>\n";
}

}  // namespace mhe::app

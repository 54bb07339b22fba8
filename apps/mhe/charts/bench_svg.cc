// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "charts/bench_svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
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

// The range of an axis and where its numbers stand.
struct PanelAxis {
  Scale scale = Scale::kLinear;
  std::vector<double> ticks;  // first and last are the ends

  [[nodiscard]] double position(double value) const {
    return scale == Scale::kLogarithmic ? std::log10(value) : value;
  }
  [[nodiscard]] double share(double value) const {
    const double low = position(ticks.front());
    return (position(value) - low) / (position(ticks.back()) - low);
  }
  [[nodiscard]] bool has(double value) const {
    return std::isfinite(value) && (scale == Scale::kLinear || value > 0);
  }
};

// Whole powers of ten, or round numbers, around all values.
PanelAxis make_axis(Scale scale, const std::vector<double>& values) {
  PanelAxis axis = {scale, {}};
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!axis.has(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return axis;
  if (scale == Scale::kLinear) {
    axis.ticks = round_ticks(low, high > low ? high : low + 1, 5);
    return axis;
  }
  const auto first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const auto last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
  for (int power = first; power <= std::max(last, first + 1); ++power) {
    axis.ticks.push_back(std::pow(10, power));
  }
  return axis;
}

std::string axis_label(const PanelAxis& axis, double tick) {
  if (axis.scale == Scale::kLinear) return format_tick(tick);
  const auto power = static_cast<int>(std::lround(std::log10(tick)));
  return power >= 0 && power <= 3 ? fmt::format("{:.0f}", tick) : fmt::format("1e{}", power);
}

std::string draw_grid(const Chart& chart, const PanelAxis& x_axis, const PanelAxis& y_axis,
                      double left) {
  const double width = kPanelWidth - kLeft - kRight;
  const double floor = kTop + kPlotHeight;
  std::string svg = svg_text(left, kTop - 12, "start", chart.title);
  for (const double tick : x_axis.ticks) {
    const double x = left + width * x_axis.share(tick);
    svg += svg_rule(x, kTop, floor, "#dddddd");
    svg += svg_text(x, floor + 16, "middle", axis_label(x_axis, tick));
  }
  for (const double tick : y_axis.ticks) {
    const double y = floor - kPlotHeight * y_axis.share(tick);
    svg += fmt::format(
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#dddddd\"/>\n",
        left, left + width, y, y);
    svg += svg_text(left - 6, y + 4, "end", axis_label(y_axis, tick));
  }
  svg += svg_text(left + width / 2, floor + 34, "middle", chart.x_unit);
  svg += fmt::format(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 {0:.1f} "
      "{1:.1f})\">{2}</text>\n",
      left - 44, kTop + kPlotHeight / 2, escape_markup(chart.y_unit));
  return svg;
}

// Names of curves in lines of this width.
struct Legend {
  struct Entry {
    double x = 0;
    double y = 0;
    std::string name;
  };
  std::vector<Entry> entries;
  double height = 0;  // of the lines after the first

  Legend(const Chart& chart, double left, double width) {
    constexpr double kLine = 16;
    double x = left;
    for (const Curve& curve : chart.curves) {
      const double wide = 34 + 7 * static_cast<double>(curve.name.size());
      if (x > left && x + wide > left + width) {
        x = left;
        height += kLine;
      }
      entries.push_back({x, kTop + kPlotHeight + kBottom - 14 + height, curve.name});
      x += wide;
    }
  }
  [[nodiscard]] std::string draw() const {
    std::string svg;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Entry& entry = entries[i];
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"/>\n", entry.x,
                         entry.y - 4, kColours[i % kColours.size()]);
      svg += svg_text(entry.x + 10, entry.y, "start", entry.name);
    }
    return svg;
  }
};

bool same_names(const Chart& a, const Chart& b) {
  return std::equal(a.curves.begin(), a.curves.end(), b.curves.begin(), b.curves.end(),
                    [](const Curve& x, const Curve& y) { return x.name == y.name; });
}

std::string draw_panel(const Chart& chart, double left) {
  std::vector<double> across;
  std::vector<double> up;
  for (const Curve& curve : chart.curves) {
    for (const Point& point : curve.points) {
      across.push_back(point.x);
      up.push_back(point.y);
    }
  }
  const PanelAxis x_axis = make_axis(chart.x_scale, across);
  const PanelAxis y_axis = make_axis(chart.y_scale, up);
  if (x_axis.ticks.empty() || y_axis.ticks.empty()) return {};
  std::string svg = draw_grid(chart, x_axis, y_axis, left);
  const double width = kPanelWidth - kLeft - kRight;
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const char* colour = kColours[i % kColours.size()];
    std::string path;
    for (const Point& point : chart.curves[i].points) {
      if (!x_axis.has(point.x) || !y_axis.has(point.y)) continue;
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

std::string line_svg(std::span<const Chart> charts, std::string_view title) {
  const double width = kPanelWidth * static_cast<double>(charts.size());
  const bool shared = std::all_of(charts.begin(), charts.end(), [&](const Chart& chart) {
    return same_names(chart, charts.front());
  });
  std::string panels;
  double lines = 0;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const double left = kPanelWidth * static_cast<double>(i) + kLeft;
    panels += draw_panel(charts[i], left);
    if (shared && i > 0) continue;
    const Legend legend(charts[i], left, shared ? width - kLeft : kPanelWidth - kLeft);
    lines = std::max(lines, legend.height);
    panels += legend.draw();
  }
  return svg_begin(width, kTop + kPlotHeight + kBottom + lines) + svg_text(16, 20, "start", title) +
         panels + "</svg>\n";
}

}  // namespace mhe::app

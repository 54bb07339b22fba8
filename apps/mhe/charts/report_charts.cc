// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "charts/report_charts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "charts/svg.h"
#include "output/units.h"

namespace mhe::app {
namespace {

// The plots of a page are equally wide, so that their texts are equally large.
constexpr double kWidth = 480;
constexpr double kHeight = 270;
constexpr double kLeft = 52;
constexpr double kRight = 18;
constexpr double kTop = 12;
constexpr double kBottom = 44;
constexpr std::size_t kColours = 6;  // that the style sheet has

std::string open_svg(double width, double height, std::string_view description) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{}\">\n",
      width, height, escape_markup(description));
}

std::string text(double x, double y, std::string_view style, std::string_view words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, style,
                     escape_markup(words));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2,
      y2, style);
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// From values to places on the page.
class Axis {
 public:
  enum class Ends {
    kTicks,  // the axis runs on to round numbers
    kData,   // it ends where the data does
  };

  Axis(const Range& range, Scale scale, Ends ends, double from, double to)
      : scale_(scale), from_(from), to_(to) {
    if (scale == Scale::kLogarithmic) {
      make_log_ticks(range.low, range.high);
    } else {
      ticks_ = round_ticks(range.low, range.high, 5);
    }
    Range shown = range;
    if (ends == Ends::kData) {
      std::erase_if(ticks_, [&](double tick) {
        return tick < range.low - kRounding || tick > range.high + kRounding;
      });
    } else {
      shown.add(ticks_.front());
      shown.add(ticks_.back());
    }
    low_ = position(shown.low);
    high_ = position(shown.high);
  }

  [[nodiscard]] double at(double value) const {
    return from_ + (position(value) - low_) / (high_ - low_) * (to_ - from_);
  }
  [[nodiscard]] const std::vector<double>& ticks() const noexcept { return ticks_; }

 private:
  [[nodiscard]] double position(double value) const {
    return scale_ == Scale::kLogarithmic ? std::log10(value) : value;
  }
  static constexpr double kRounding = 1e-9;
  // Powers of ten, and 2 and 5 times these where there are few.
  void make_log_ticks(double low, double high) {
    const auto first = static_cast<int>(std::floor(std::log10(low) + kRounding));
    const auto last = static_cast<int>(std::ceil(std::log10(high) - kRounding));
    const bool few = last - first <= 2;
    for (int power = first; power <= last; ++power) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor > 1 && !few) continue;
        const double tick = factor * std::pow(10, power);
        if (tick >= low * (1 - kRounding) && tick <= high * (1 + kRounding)) ticks_.push_back(tick);
      }
    }
    if (ticks_.size() < 2) ticks_ = {std::pow(10, first), std::pow(10, std::max(last, first + 1))};
  }

  Scale scale_;
  double from_;
  double to_;
  double low_ = 0;
  double high_ = 1;
  std::vector<double> ticks_;
};

// Nearly level lines are shown level: less than two points apart is mostly chance.
void widen(Range& range, Scale scale) {
  if (scale == Scale::kLogarithmic) {
    if (range.high <= range.low) range.high = range.low * 10;
    return;
  }
  constexpr double kLeast = 4;
  if (range.high - range.low >= kLeast) return;
  const double middle = (range.low + range.high) / 2;
  range.high = middle + kLeast / 2;
  range.low = range.low >= 0 ? std::max(0.0, middle - kLeast / 2) : middle - kLeast / 2;
}

std::string axes(const Axis& x, const Axis& y, const Chart& chart) {
  std::string svg;
  const double floor = kHeight - kBottom;
  for (const double tick : y.ticks()) {
    svg += line(kLeft, y.at(tick), kWidth - kRight, y.at(tick), "grid");
    svg += text(kLeft - 8, y.at(tick) + 4, "end", format_tick(tick));
  }
  for (const double tick : x.ticks()) {
    svg += line(x.at(tick), floor, x.at(tick), floor + 4, "axis");
    svg += text(x.at(tick), floor + 18, "middle", format_tick(tick));
  }
  svg += line(kLeft, floor, kWidth - kRight, floor, "axis");
  return svg + text((kLeft + kWidth - kRight) / 2, kHeight - 6, "middle unit", chart.x_unit);
}

std::string draw_curve(const Curve& curve, std::size_t colour, const Axis& x, const Axis& y) {
  std::string path;
  std::string dots;
  for (const Point& point : curve.points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(point.x), y.at(point.y));
    dots += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" class=\"f{}\"><title>{}</title></circle>\n",
        x.at(point.x), y.at(point.y), colour,
        escape_markup(fmt::format("{}, {:.4g}: {:.4g}", curve.name, point.x, point.y)));
  }
  return fmt::format("<path d=\"{}\" class=\"curve s{}\"/>\n{}", path, colour, dots);
}

std::string legend(const Chart& chart) {
  std::string html = "<p class=\"legend\">";
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    html += fmt::format(
        "<span><svg viewBox=\"0 0 16 10\" class=\"key\"><rect y=\"3\" width=\"16\" height=\"4\" "
        "rx=\"2\" class=\"f{}\"/></svg>{}</span>",
        i % kColours + 1, escape_markup(chart.curves[i].name));
  }
  return html + fmt::format("<span class=\"unit\">{}</span></p>\n", escape_markup(chart.y_unit));
}

}  // namespace

std::string draw_chart(const Chart& chart) {
  Range across;
  Range up;
  for (const Curve& curve : chart.curves) {
    for (const Point& point : curve.points) {
      across.add(point.x);
      up.add(point.y);
    }
  }
  if (across.high < across.low) return {};
  if (across.high == across.low) across.high = across.low + 1;
  widen(up, chart.y_scale);
  const Axis x(across, chart.x_scale, Axis::Ends::kData, kLeft, kWidth - kRight);
  const Axis y(up, chart.y_scale, Axis::Ends::kTicks, kHeight - kBottom, kTop);
  std::string svg = legend(chart) + open_svg(kWidth, kHeight, chart.title) + axes(x, y, chart);
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    svg += draw_curve(chart.curves[i], i % kColours + 1, x, y);
  }
  return svg + "</svg>\n";
}

std::string draw_reliability(const metrics::ReliabilityReport& report) {
  constexpr double kSide = 300;  // of the square
  constexpr double kCounts = 54;
  constexpr double kGap = 14;
  constexpr double kEdge = 60;  // left of the square
  constexpr double kFoot = kTop + kSide + kGap + kCounts;
  constexpr double kAll = kEdge + kSide + 30;
  const auto x = [](double p) { return kEdge + p * kSide; };
  const auto y = [](double p) { return kTop + (1 - p) * kSide; };
  std::uint64_t most = 1;
  for (const metrics::ReliabilityBin& bin : report.bins) most = std::max(most, bin.count);
  std::string svg = open_svg(kAll, kFoot + kBottom, "Reliability diagram");
  for (const double p : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
    svg += line(x(0), y(p), x(1), y(p), "grid");
    svg += text(x(0) - 8, y(p) + 4, "end", fmt::format("{:.0f} %", 100 * p));
    svg += text(x(p), kFoot + 18, "middle", fmt::format("{:.0f} %", 100 * p));
  }
  svg += line(x(0), y(0), x(1), y(1), "ideal");
  svg += line(x(0), kFoot, x(1), kFoot, "axis");
  std::string path;
  std::string dots;
  for (const metrics::ReliabilityBin& bin : report.bins) {
    if (bin.count == 0) continue;
    // The logarithm, for most predictions lie in the lowest bin.
    const double height = kCounts * std::log1p(static_cast<double>(bin.count)) /
                          std::log1p(static_cast<double>(most));
    const std::string told = escape_markup(
        fmt::format("{} predictions of {:.0f} to {:.0f} %: predicted {:.1f} %, observed {:.1f} %",
                    format_count(bin.count), 100 * bin.low, 100 * bin.high,
                    100 * bin.mean_probability, 100 * bin.hit_rate));
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"count\">"
        "<title>{}</title></rect>\n",
        x(bin.low) + 1, kFoot - height, x(bin.high) - x(bin.low) - 2, height, told);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(bin.mean_probability),
                        y(bin.hit_rate));
    // Bins of few predictions say little and are drawn hollow.
    const bool sure = bin.count >= metrics::ReliabilityReport::kMinCount;
    dots += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"{}\"><title>{}</title></circle>\n",
        x(bin.mean_probability), y(bin.hit_rate), sure ? "f1" : "hollow", told);
  }
  svg += fmt::format("<path d=\"{}\" class=\"curve s1\"/>\n{}", path, dots);
  svg += text(x(0.5), kFoot + 38, "middle unit", "predicted probability");
  svg += text(x(0) + 8, y(1) + 16, "unit", "observed share of true labels");
  return svg + "</svg>\n";
}

std::string draw_bars(std::span<const ReportBar> bars, double full, std::string_view description) {
  constexpr double kStep = 26;
  constexpr double kThick = 14;
  constexpr double kNames = 190;
  constexpr double kNotes = 132;
  constexpr double kMax = kWidth - kNames - kNotes;
  constexpr std::size_t kCharacters = 27;  // that fit before the bars
  for (const ReportBar& bar : bars) full = std::max(full, bar.value);
  std::string svg = open_svg(kWidth, kStep * static_cast<double>(bars.size()) + 4, description);
  double top = 6;
  for (const ReportBar& bar : bars) {
    const double length = full > 0 ? bar.value / full * kMax : 0;
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"end\"><title>{}</title>{}</text>\n",
                       kNames - 8, top + kThick - 3, escape_markup(bar.name),
                       escape_markup(shorten(bar.name, kCharacters)));
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\" "
        "class=\"f1\"/>\n",
        kNames, top, std::max(1.0, length), kThick);
    svg += text(kNames + length + 8, top + kThick - 3, "", bar.note);
    top += kStep;
  }
  return svg + "</svg>\n";
}

std::string group_name(const HeadGroup& group) {
  std::string name;
  for (const std::string& example : group.examples) name += (name.empty() ? "" : ", ") + example;
  if (group.labels > group.examples.size()) name += ", …";
  return name;
}

std::string draw_confusion(const HeadConfusion& confusion) {
  constexpr double kCell = 34;
  constexpr double kNames = 300;
  constexpr std::size_t kCharacters = 46;  // that fit before the cells
  const std::size_t n = confusion.groups.size();
  const double side = kCell * static_cast<double>(n);
  const double width = kNames + side + 4;
  // No wider than it is drawn, or few groups would make giant letters.
  std::string svg = fmt::format("<div style=\"max-width: {:.0f}px\">\n", 1.15 * width);
  svg += open_svg(width, side + 52, "Which groups of the first head are confused");
  const auto edge = [](std::size_t i) { return kCell * static_cast<double>(i); };
  for (std::size_t i = 0; i < n; ++i) {
    const HeadGroup& group = confusion.groups[i];
    const double middle = edge(i) + kCell / 2 + 4;
    svg += text(kNames - 8, 24 + middle, "end",
                fmt::format("{}  {}", shorten(group_name(group), kCharacters), i + 1));
    svg += text(kNames + middle - 4, 16, "middle", fmt::format("{}", i + 1));
    for (std::size_t j = 0; j < n; ++j) {
      const double rows = confusion.taken[i * n + j];
      const double share = group.rows > 0 ? rows / group.rows : 0;
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"3\" class=\"{}\" "
          "fill-opacity=\"{:.3f}\"><title>{}</title></rect>\n",
          kNames + edge(j) + 1, 24 + edge(i) + 1, kCell - 2, kCell - 2, i == j ? "right" : "wrong",
          // The root, so that small shares show.
          std::sqrt(share) * 0.85 + (share > 0 ? 0.05 : 0.0),
          escape_markup(fmt::format("{} taken for {}: {:.1f} of {:.1f} rows", group_name(group),
                                    group_name(confusion.groups[j]), rows, group.rows)));
      if (share >= 0.005) {
        svg += text(kNames + edge(j) + kCell / 2, 24 + middle, "middle",
                    fmt::format("{:.0f}", 100 * share));
      }
    }
  }
  svg += text(kNames - 8, side + 44, "end unit", "true group");
  svg += text(kNames + side / 2, side + 44, "middle unit", "group ranked first, per cent");
  return svg + "</svg>\n</div>\n";
}

}  // namespace mhe::app

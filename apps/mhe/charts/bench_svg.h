// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The pictures of `mhe bench`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mhe::app {

/// A bar of the length `value`.
struct NamedBar {
  std::string name;
  double value = 0;
  std::string note;  ///< behind the bar
};

/// Horizontal bars below each other, from one left edge, as a picture.
[[nodiscard]] std::string bar_svg(std::span<const NamedBar> bars, std::string_view title,
                                  std::string_view unit);

struct Marker {
  double value = 0;
  std::string_view name;
};

/// A histogram as a picture: `sorted` ascends and is not empty; values beyond the 99.5th percentile
/// are gathered in the last bar. Markers are drawn as lines with their names.
[[nodiscard]] std::string histogram_svg(std::span<const double> sorted, std::string_view title,
                                        std::string_view unit, std::span<const Marker> markers);

struct LinePoint {
  double x = 0;  ///< above 0, and so is y
  double y = 0;
};

struct LineSeries {
  std::string name;
  std::vector<LinePoint> points;
};

/// One diagram with logarithmic axes.
struct LinePanel {
  std::string title;
  std::string x_name;
  std::string y_name;
  std::vector<LineSeries> series;  ///< the same names in the same order in every panel
};

/// Diagrams side by side under one title, with one legend.
[[nodiscard]] std::string line_svg(std::span<const LinePanel> panels, std::string_view title);

}  // namespace mhe::app

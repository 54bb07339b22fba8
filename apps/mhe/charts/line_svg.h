// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mhe::app {

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

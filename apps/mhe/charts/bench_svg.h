// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The pictures of `mhe bench` and `mhe lab`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/train.h>

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

/// Charts side by side under one title, with one legend if their curves have the same names, else
/// one each. What is not above 0 is left out where an axis is logarithmic.
[[nodiscard]] std::string line_svg(std::span<const Chart> charts, std::string_view title);

}  // namespace mhe::app

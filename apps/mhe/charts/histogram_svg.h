// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mhe::app {

struct Marker {
  double value = 0;
  std::string_view name;
};

/// A histogram as a picture: `sorted` ascends and is not empty; values beyond the 99.5th percentile
/// are gathered in the last bar. Markers are drawn as lines with their names.
[[nodiscard]] std::string histogram_svg(std::span<const double> sorted, std::string_view title,
                                        std::string_view unit, std::span<const Marker> markers);

}  // namespace mhe::app

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

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

}  // namespace mhe::app

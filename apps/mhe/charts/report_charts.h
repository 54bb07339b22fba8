// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The drawings of a report: inline SVG without colours of its own, which the page's style sheet
// (report_style.h) gives. Names are escaped.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <mhe/train.h>

namespace mhe::app {

/// Lines over common axes, with a legend if there are several. Empty without points.
[[nodiscard]] std::string draw_chart(const Chart& chart);

/// Observed against predicted probabilities, and below how many predictions lie where.
[[nodiscard]] std::string draw_reliability(const ReliabilityReport& report);

/// A bar with its name before it and its value behind it.
struct ReportBar {
  std::string name;
  double value = 0;
  std::string note;
};

/// Horizontal bars from one edge. The longest is as long as `full`, or as there is room if 0.
[[nodiscard]] std::string draw_bars(std::span<const ReportBar> bars, double full,
                                    std::string_view description);

/// Which group is taken for which, as shares of the true group's rows.
[[nodiscard]] std::string draw_confusion(const HeadConfusion& confusion);

/// What stands for a group: its most frequent labels.
[[nodiscard]] std::string group_name(const HeadGroup& group);

}  // namespace mhe::app

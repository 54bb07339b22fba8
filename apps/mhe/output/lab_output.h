// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reports of the lab as text, Markdown and JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "lab/report.h"

namespace mhe::app {

/// A number as its column prints it: "70.7", or with several seeds whose values differ in print
/// "70.7 (69.5..71.9)", the mean and the range.
[[nodiscard]] std::string format_measured(const lab::Measured& measured, const lab::Column& column);

/// Title, table and findings.
[[nodiscard]] std::string lab_text(const lab::Report& report, std::size_t width);
/// A Markdown table, then the findings as a list.
[[nodiscard]] std::string lab_markdown(const lab::Report& report);
/// With the values of every seed.
[[nodiscard]] nlohmann::ordered_json lab_json(std::string_view name, const lab::Report& report,
                                              const lab::Seeds& seeds);

}  // namespace mhe::app

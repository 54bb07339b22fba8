// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How reliability looks: a few figures and a diagram for people, an object for machines.
#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include <mhe/metrics.h>

#include "output/table.h"

namespace mhe::app {

/// The figures, a line each; errors in per cent.
[[nodiscard]] std::string reliability_text(const ReliabilityReport& report);

/// The bins, a line each: a bar of what was observed and a mark where it was predicted to end.
[[nodiscard]] std::string reliability_diagram(const ReliabilityReport& report, std::size_t width,
                                              BarStyle style);

/// Adds "reliability_error", "reliability_max_error" (per cent), "brier" and "reliability", the
/// bins. What is undefined is null.
void put_reliability(const ReliabilityReport& report, nlohmann::ordered_json& json);

}  // namespace mhe::app

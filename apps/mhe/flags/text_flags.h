// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace mhe::app {

/// Adds --own: text columns with features of their own, as make_fields() of <mhe/text.h> reads
/// them.
void add_own_flag(CLI::App& command, std::vector<std::string>& own);

}  // namespace mhe::app

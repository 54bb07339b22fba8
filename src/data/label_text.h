// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Labels in running text: how a cell, a string or a line is split into names.
#pragma once

#include <string_view>

#include "data/parsed_block.h"

namespace mhe::data {

inline constexpr std::string_view kBlanks = " \t";

/// `text` without blanks and tabs at either end.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept;

/// Adds the labels of `text` to the row being built: split at `separator`, without blanks around
/// them, empty ones left out. A blank as separator means any run of blanks and tabs.
void add_labels(std::string_view text, std::string_view separator, ParsedBlock& out);

/// Throws LineError unless `text` is valid UTF-8.
void require_utf8(std::string_view text);

}  // namespace mhe::data

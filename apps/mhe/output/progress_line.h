// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How far long work has come, as a line of text.
#pragma once

#include <cstddef>
#include <string>

#include <mhe/context.h>

#include "output/table.h"

namespace mhe::app {

/// For a log: what is done of how much, how fast, and how long it will still take, where known.
/// `seconds` have passed since the stage began.
[[nodiscard]] std::string progress_words(const Progress& progress, double seconds);

/// For a terminal: the same with a bar in place of the counts, in `width` columns at most. Where
/// room is short the bar gets shorter and goes first, the end of the note last.
[[nodiscard]] std::string progress_bar(const Progress& progress, double seconds, std::size_t width,
                                       BarStyle style);

}  // namespace mhe::app

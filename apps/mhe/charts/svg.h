// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The pieces that pictures are made of, those of benchmarks and those of reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mhe::app {

/// Text as it may stand in XML and HTML, in attributes too. Control characters become blanks.
[[nodiscard]] std::string escape_markup(std::string_view text);

/// Shortened to so many characters, the last an ellipsis. Never cuts inside a UTF-8 character.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t max_characters);

/// Round numbers (1, 2 or 5 times a power of ten apart) that cover low to high, at most
/// `max_ticks` + 1 of them; low < high.
[[nodiscard]] std::vector<double> round_ticks(double low, double high, std::size_t max_ticks);

/// As few digits as tell ticks apart: "0.25", "1,000".
[[nodiscard]] std::string format_tick(double value);

/// The start of a picture: white, in the usual type. It ends with "</svg>\n".
[[nodiscard]] std::string svg_begin(double width, double height);

/// A line of text; `anchor` is start, middle or end. Takes any characters.
[[nodiscard]] std::string svg_text(double x, double y, std::string_view anchor,
                                   std::string_view text);

/// A vertical line.
[[nodiscard]] std::string svg_rule(double x, double top, double bottom, std::string_view colour);

}  // namespace mhe::app

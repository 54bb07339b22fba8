// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The pieces that the pictures of benchmarks are made of.
#pragma once

#include <string>
#include <string_view>

namespace mhe::app {

/// The start of a picture: white, in the usual type. It ends with "</svg>\n".
[[nodiscard]] std::string svg_begin(double width, double height);

/// A line of text; `anchor` is start, middle or end. Takes any characters.
[[nodiscard]] std::string svg_text(double x, double y, std::string_view anchor,
                                   std::string_view text);

/// A vertical line.
[[nodiscard]] std::string svg_rule(double x, double top, double bottom, std::string_view colour);

}  // namespace mhe::app

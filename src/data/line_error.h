// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with one line. Parsers throw it; it never leaves src/data: the pipeline adds file
// and line and throws mhe::Error, or counts it against ReadOptions::skip_bad.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace mhe::data {

struct LineError {
  std::string message;
};

template <class... Args>
[[noreturn]] void fail_line(fmt::format_string<Args...> format, Args&&... args) {
  throw LineError{fmt::format(format, std::forward<Args>(args)...)};
}

/// What was found, for an error message: in quotes, at most 40 characters, control characters and
/// bytes that are not UTF-8 as \xNN; "the end of the line" if it is empty.
[[nodiscard]] std::string quote_found(std::string_view text);

/// The token that `rest` begins with, up to a blank, quoted by quote_found().
[[nodiscard]] std::string quote_token(std::string_view rest);

}  // namespace mhe::data

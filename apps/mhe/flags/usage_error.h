// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include <mhe/error.h>

namespace mhe::app {

/// The command line asks for something that cannot be; exit 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws mhe::Error with a formatted message: the program found out what the library cannot.
template <class... Args>
[[noreturn]] void throw_error(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace mhe::app

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How the library reports errors: fail() and require() for what the caller, the data or the machine
// did wrong, MHE_ASSERT for what we did.
#pragma once

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <mhe/error.h>

namespace mhe {

/// Throws mhe::Error with a formatted message.
template <class... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

/// Throws kInvalidArgument unless `condition` holds.
template <class... Args>
void require(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) fail(ErrorCode::kInvalidArgument, format, std::forward<Args>(args)...);
}

namespace base {
[[noreturn]] void fail_assertion(std::string_view condition, std::string_view file, int line);
}  // namespace base

}  // namespace mhe

/// Throws kInternal if a condition that only a bug of ours can break is broken.
#define MHE_ASSERT(condition) \
  ((condition) ? void() : ::mhe::base::fail_assertion(#condition, __FILE__, __LINE__))

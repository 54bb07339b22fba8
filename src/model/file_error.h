// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a model's file is refused.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace mhe::model {

/// Throws kInvalidData: the path, then what is wrong.
template <typename... Args>
[[noreturn]] void fail_file(const std::string& path, fmt::format_string<Args...> format,
                            Args&&... args) {
  fail(ErrorCode::kInvalidData, "{}: {}", path, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace mhe::model

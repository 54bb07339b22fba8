// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the value of a flag may be. Each check says what was expected and what was found, or
// nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mhe::app {

using Check = std::function<std::string(const std::string& text)>;

/// Low to high, both included.
[[nodiscard]] Check number_between(double low, double high);
[[nodiscard]] Check whole_between(std::uint64_t low, std::uint64_t high);
[[nodiscard]] Check one_of(std::vector<std::string> words);

}  // namespace mhe::app

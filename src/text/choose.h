// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mhe::text {

/// condition ? yes : no, without a branch. GCC 12 makes a branch of the operator where these are
/// used, which costs a third of the look-up of a word when it cannot be predicted.
[[nodiscard]] inline std::uint64_t choose(bool condition, std::uint64_t yes,
                                          std::uint64_t no) noexcept {
  const std::uint64_t mask = std::uint64_t{0} - static_cast<std::uint64_t>(condition);
  return no ^ ((no ^ yes) & mask);
}

}  // namespace mhe::text

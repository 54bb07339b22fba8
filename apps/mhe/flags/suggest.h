// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mhe::app {

/// The candidate that `word` was most likely meant to be, or "" if none is near: at most a third of
/// its letters inserted, removed or replaced.
[[nodiscard]] std::string nearest(std::string_view word,
                                  const std::vector<std::string>& candidates);

}  // namespace mhe::app

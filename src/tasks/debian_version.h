// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string_view>

namespace mhe::tasks {

/// Which of two Debian versions is the newer one, by the rules of Debian policy 5.6.12: epoch,
/// upstream version, revision; digits by value, letters before other characters, ~ before the end.
[[nodiscard]] std::strong_ordering compare_versions(std::string_view a, std::string_view b);

}  // namespace mhe::tasks

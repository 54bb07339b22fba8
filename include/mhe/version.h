// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mhe {

/// The library's version, such as "0.1.0".
[[nodiscard]] std::string_view version() noexcept;

}  // namespace mhe

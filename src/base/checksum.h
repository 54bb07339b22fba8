// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mhe {

/// XXH64 with seed 0: finds damage, not forgery. The same on every machine, for any alignment.
[[nodiscard]] std::uint64_t checksum64(std::span<const std::byte> bytes) noexcept;

}  // namespace mhe

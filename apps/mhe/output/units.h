// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people write and read them: "2G", "1,728,000", "3.4 MB".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mhe::app {

/// "2G", "512M", "1.5GB", "4096": bytes, K = 10^3, M = 10^6, G = 10^9, T = 10^12; with an i (Ki,
/// MiB) powers of 1024. Throws UsageError.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view text);

/// 1728000 -> "1,728,000".
[[nodiscard]] std::string format_count(std::uint64_t count);
/// With a noun whose plural ends in s: "1 row", "1,728,000 rows".
[[nodiscard]] std::string format_count(std::uint64_t count, std::string_view noun);
/// 3400000 -> "3.4 MB"; decimal units.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
/// 75.2 -> "1:15"; 3.14 -> "3 s".
[[nodiscard]] std::string format_seconds(double seconds);

/// A share in per cent, 0.9371 -> "93.71"; "-" for NaN.
[[nodiscard]] std::string format_per_cent(double share, int digits = 2);

/// The value to ten significant digits, so that figures in JSON do not end in the noise of binary
/// fractions: 30.000000000000004 -> 30.
[[nodiscard]] double round_figure(double value);

}  // namespace mhe::app

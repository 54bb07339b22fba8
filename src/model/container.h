// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What makes a safetensors file an mhe model, for its writer and its reader: docs/model-file.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mhe::model {

inline constexpr std::uint64_t kFormatVersion = 1;
/// Cache lines, and the widest vector registers there are.
inline constexpr std::uint64_t kTensorAlignment = 64;
/// Tensors of zeros that fill the gaps, since the format allows none: "__pad__.0", "__pad__.1", ...
inline constexpr std::string_view kPadPrefix = "__pad__.";
/// Names with this prefix belong to the container.
inline constexpr std::string_view kReservedPrefix = "__";
inline constexpr std::string_view kOffsetsSuffix = ".offsets";

inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kFormatName = "mhe";
inline constexpr std::string_view kFormatVersionKey = "format_version";
inline constexpr std::string_view kMheVersionKey = "mhe_version";
inline constexpr std::string_view kChecksumsKey = "checksums";
inline constexpr std::string_view kHeaderChecksumKey = "header_checksum";

/// How the header begins; the header's checksum follows, so it is always at the same place.
inline constexpr std::string_view kHeaderStart =
    R"({"__metadata__":{"format":"mhe","header_checksum":")";
inline constexpr std::size_t kChecksumDigits = 16;

/// Whether a metadata key is written by the container itself.
[[nodiscard]] bool is_container_key(std::string_view key) noexcept;

/// 16 hexadecimal digits, lower case.
[[nodiscard]] std::string format_checksum(std::uint64_t checksum);
[[nodiscard]] std::optional<std::uint64_t> parse_checksum(std::string_view digits) noexcept;

/// The checksum of everything before the data, taken with zeros for its own 16 digits, and the
/// digits that stand there; nothing if the header does not begin as ours do.
struct HeaderChecksum {
  std::uint64_t computed = 0;
  std::string_view stored;  ///< points into the bytes given
};
[[nodiscard]] std::optional<HeaderChecksum> check_header(std::span<const std::byte> before_data);

/// Puts the header's checksum in its place; `before_data` must begin as our files do.
void seal_header(std::span<std::byte> before_data);

}  // namespace mhe::model

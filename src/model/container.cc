// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/container.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/checksum.h"
#include "model/safetensors.h"

namespace mhe::model {
namespace {

constexpr std::size_t kDigitsBegin = kLengthBytes + kHeaderStart.size();

}  // namespace

bool is_container_key(std::string_view key) noexcept {
  constexpr std::array kKeys = {kFormatKey, kFormatVersionKey, kMheVersionKey, kChecksumsKey,
                                kHeaderChecksumKey};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

std::string format_checksum(std::uint64_t checksum) {
  return fmt::format("{:016x}", checksum);
}

std::optional<std::uint64_t> parse_checksum(std::string_view digits) noexcept {
  std::uint64_t checksum = 0;
  const char* end = digits.data() + digits.size();
  constexpr int kBase = 16;
  const auto [stop, status] = std::from_chars(digits.data(), end, checksum, kBase);
  // One checksum has one spelling, so no flipped bit goes unseen.
  const auto is_ours = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (digits.size() != kChecksumDigits || status != std::errc() || stop != end ||
      !std::all_of(digits.begin(), digits.end(), is_ours)) {
    return std::nullopt;
  }
  return checksum;
}

std::optional<HeaderChecksum> check_header(std::span<const std::byte> before_data) {
  if (before_data.size() < kDigitsBegin + kChecksumDigits) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(before_data.data());
  if (std::string_view(text + kLengthBytes, kHeaderStart.size()) != kHeaderStart) {
    return std::nullopt;
  }
  std::vector<std::byte> copy(before_data.begin(), before_data.end());
  std::fill_n(copy.begin() + kDigitsBegin, kChecksumDigits, std::byte{'0'});
  return HeaderChecksum{checksum64(copy), {text + kDigitsBegin, kChecksumDigits}};
}

void seal_header(std::span<std::byte> before_data) {
  const auto checksum = check_header(before_data);
  MHE_ASSERT(checksum.has_value());
  const std::string digits = format_checksum(checksum->computed);
  std::memcpy(before_data.data() + kDigitsBegin, digits.data(), digits.size());
}

}  // namespace mhe::model

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <unicode/utf8.h>

namespace mhe::text {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"  // inside ICU's macro

/// Decodes the code point at `position` and moves it on; U+FFFD for what is not UTF-8.
[[nodiscard]] inline std::uint32_t next_code_point(std::string_view text,
                                                   std::size_t& position) noexcept {
  UChar32 c = 0;
  U8_NEXT_OR_FFFD(text.data(), position, text.size(), c);
  return static_cast<std::uint32_t>(c);
}

/// Appends a code point that is no surrogate.
inline void append_code_point(std::string& out, std::uint32_t code_point) {
  std::array<char, U8_MAX_LENGTH> bytes = {};
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes.data(), size, code_point);
  out.append(bytes.data(), size);
}

#pragma GCC diagnostic pop

}  // namespace mhe::text

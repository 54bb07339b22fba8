// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/line_error.h"

#include <algorithm>

#include <simdjson.h>

namespace mhe::data {
namespace {

// Bytes of the UTF-8 character that `text` begins with; 0 if it begins with none.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length > text.size()) return 0;
  return simdjson::validate_utf8(text.data(), length) ? length : 0;
}

}  // namespace

std::string quote_found(std::string_view text) {
  constexpr std::size_t kMaxCharacters = 40;
  if (text.empty()) return "the end of the line";
  std::string quoted = "\"";
  for (std::size_t shown = 0; !text.empty(); ++shown) {
    if (shown == kMaxCharacters) return quoted + "...\"";
    const std::size_t length = character_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0 || first < 0x20 || first == 0x7F) {
      quoted += fmt::format("\\x{:02x}", first);
      text.remove_prefix(1);
    } else {
      quoted += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return quoted + "\"";
}

std::string quote_token(std::string_view rest) {
  return quote_found(rest.substr(0, std::min(rest.size(), rest.find_first_of(" \t"))));
}

}  // namespace mhe::data

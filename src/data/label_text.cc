// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/label_text.h"

#include <algorithm>

#include <simdjson.h>

#include "data/line_error.h"

namespace mhe::data {
namespace {

void add_words(std::string_view text, ParsedBlock& out) {
  std::size_t at = text.find_first_not_of(kBlanks);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(text.size(), text.find_first_of(kBlanks, at));
    out.add_label(text.substr(at, end - at));
    at = text.find_first_not_of(kBlanks, end);
  }
}

// Where valid UTF-8 stops, character by character: only for messages.
std::size_t first_invalid(std::string_view text) {
  std::size_t valid = 0;
  while (valid < text.size()) {
    std::size_t length = 1;
    while (length <= 4 && valid + length <= text.size() &&
           !simdjson::validate_utf8(text.data() + valid, length)) {
      ++length;
    }
    if (length > 4 || valid + length > text.size()) return valid;
    valid += length;
  }
  return valid;
}

}  // namespace

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

void add_labels(std::string_view text, std::string_view separator, ParsedBlock& out) {
  if (separator == " ") {
    add_words(text, out);
    return;
  }
  while (true) {
    const std::size_t at = text.find(separator);
    const std::string_view label = trim(text.substr(0, at));
    if (!label.empty()) out.add_label(label);
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + separator.size());
  }
}

void require_utf8(std::string_view text) {
  if (simdjson::validate_utf8(text.data(), text.size())) return;
  const std::size_t at = first_invalid(text);
  fail_line("expected UTF-8, found {} at byte {} of the line", quote_found(text.substr(at, 8)),
            at + 1);
}

}  // namespace mhe::data

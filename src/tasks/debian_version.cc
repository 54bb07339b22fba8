// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/debian_version.h"

#include <cstddef>

#include "data/number.h"

namespace mhe::tasks {
namespace {

// The place of a character in the order, and 0 for the end or a digit.
int order_of(std::string_view text, std::size_t at) {
  constexpr int kOthers = 256;  // behind all letters
  if (at >= text.size() || data::is_digit(text[at])) return 0;
  const char c = text[at];
  if (c == '~') return -1;
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return static_cast<int>(static_cast<unsigned char>(c)) + (letter ? 0 : kOthers);
}

std::string_view take_number(std::string_view& text) {
  while (text.starts_with('0')) text.remove_prefix(1);
  std::size_t size = 0;
  while (size < text.size() && data::is_digit(text[size])) ++size;
  const std::string_view number = text.substr(0, size);
  text.remove_prefix(size);
  return number;
}

// Parts without digits and parts of digits in turn.
std::strong_ordering compare_part(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    while ((!a.empty() && !data::is_digit(a[0])) || (!b.empty() && !data::is_digit(b[0]))) {
      const auto order = order_of(a, 0) <=> order_of(b, 0);
      if (std::is_neq(order)) return order;
      if (!a.empty()) a.remove_prefix(1);
      if (!b.empty()) b.remove_prefix(1);
    }
    const std::string_view left = take_number(a);
    const std::string_view right = take_number(b);
    if (left.size() != right.size()) return left.size() <=> right.size();
    if (left != right) return left.compare(right) <=> 0;
  }
  return std::strong_ordering::equal;
}

struct Parts {
  std::string_view epoch;
  std::string_view upstream;
  std::string_view revision;
};

Parts split(std::string_view version) {
  Parts parts;
  const std::size_t colon = version.find(':');
  if (colon != std::string_view::npos) {
    parts.epoch = version.substr(0, colon);
    version.remove_prefix(colon + 1);
  }
  const std::size_t dash = version.rfind('-');
  parts.upstream = version.substr(0, dash);
  if (dash != std::string_view::npos) parts.revision = version.substr(dash + 1);
  return parts;
}

}  // namespace

std::strong_ordering compare_versions(std::string_view a, std::string_view b) {
  const Parts left = split(a);
  const Parts right = split(b);
  if (const auto order = compare_part(left.epoch, right.epoch); std::is_neq(order)) {
    return order;
  }
  if (const auto order = compare_part(left.upstream, right.upstream); std::is_neq(order)) {
    return order;
  }
  return compare_part(left.revision, right.revision);
}

}  // namespace mhe::tasks

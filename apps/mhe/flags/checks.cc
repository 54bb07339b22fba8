// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "flags/checks.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace mhe::app {
namespace {

template <class T>
bool lies_between(const std::string& text, T low, T high) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  return status == std::errc() && stop == end && value >= low && value <= high;
}

template <class T>
Check between(const char* kind, T low, T high) {
  return [=](const std::string& text) {
    if (lies_between(text, low, high)) return std::string();
    return fmt::format("expected {} from {} to {}, found {}", kind, low, high, text);
  };
}

}  // namespace

Check number_between(double low, double high) {
  return between("a number", low, high);
}

Check whole_between(std::uint64_t low, std::uint64_t high) {
  return between("a whole number", low, high);
}

Check one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
    const std::vector<std::string> first(words.begin(), words.end() - 1);
    return fmt::format("expected {} or {}, found {}", fmt::join(first, ", "), words.back(), text);
  };
}

}  // namespace mhe::app

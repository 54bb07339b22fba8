// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/units.h"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "flags/usage_error.h"

namespace mhe::app {
namespace {

// The factor of a unit such as "", "B", "K", "KB", "Ki", "KiB"; 0 if it is none.
double unit_factor(std::string_view unit) {
  if (unit.ends_with('B') || unit.ends_with('b')) unit.remove_suffix(1);
  if (unit.empty()) return 1;
  const bool binary = unit.size() == 2 && unit[1] == 'i';
  if (unit.size() > 1 && !binary) return 0;
  const double base = binary ? 1024 : 1000;
  switch (unit[0]) {
    case 'k':
    case 'K':
      return base;
    case 'm':
    case 'M':
      return base * base;
    case 'g':
    case 'G':
      return base * base * base;
    case 't':
    case 'T':
      return base * base * base * base;
    default:
      return 0;
  }
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto parsed = static_cast<std::size_t>(end - text.data());
  const double factor = status == std::errc() ? unit_factor(text.substr(parsed)) : 0;
  const double bytes = number * factor;
  if (factor == 0 || !(bytes >= 1) || bytes > 0x1.0p62) {
    throw UsageError(fmt::format(
        "\"{}\" is not an amount of memory; expected a number such as 512M, 2G or 1.5GiB", text));
  }
  return static_cast<std::uint64_t>(bytes);
}

std::string format_count(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string format_count(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 7> kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 999.5 && unit + 1 < kUnits.size()) {
    amount /= 1000;
    ++unit;
  }
  if (unit == 0 || amount >= 99.95) return fmt::format("{:.0f} {}", amount, kUnits[unit]);
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string format_seconds(double seconds) {
  if (seconds < 59.5) return fmt::format("{:.0f} s", seconds);
  const auto total = static_cast<std::uint64_t>(std::lround(seconds));
  if (total < 3600) return fmt::format("{}:{:02}", total / 60, total % 60);
  return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
}

std::string format_per_cent(double share, int digits) {
  return std::isnan(share) ? "-" : fmt::format("{:.{}f}", 100 * share, digits);
}

double round_figure(double value) {
  const std::string digits = fmt::format("{:.10g}", value);
  double rounded = value;
  std::from_chars(digits.data(), digits.data() + digits.size(), rounded);
  return rounded;
}

}  // namespace mhe::app

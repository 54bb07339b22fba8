// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/progress_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "output/units.h"

namespace mhe::app {
namespace {

std::string format_amount(std::uint64_t amount, std::string_view unit) {
  if (unit == "bytes") return format_bytes(amount);
  return fmt::format("{} {}", format_count(amount), unit);
}

double share_of(const Progress& progress) {
  return static_cast<double>(progress.done) / static_cast<double>(progress.total);
}

// ", 5 rows/s, 3.1 s left; note", as far as it is known.
std::string rate_words(const Progress& progress, double seconds) {
  std::string words;
  const double rate = seconds > 0 ? static_cast<double>(progress.done) / seconds : 0;
  if (rate > 0) {
    const bool is_slow = rate < 10 && progress.unit != "bytes";  // 0 a second tells nothing
    words += is_slow ? fmt::format(", {:.2g} {}/s", rate, progress.unit)
                     : fmt::format(", {}/s",
                                   format_amount(static_cast<std::uint64_t>(rate), progress.unit));
  }
  if (rate > 0 && progress.total > progress.done) {
    words += fmt::format(
        ", {} left", format_seconds(static_cast<double>(progress.total - progress.done) / rate));
  }
  if (!progress.note.empty()) words += fmt::format("; {}", progress.note);
  return words;
}

}  // namespace

std::string progress_words(const Progress& progress, double seconds) {
  if (progress.done == 0 && progress.total == 0) return std::string(progress.stage);
  std::string line =
      fmt::format("{}: {}", progress.stage, format_amount(progress.done, progress.unit));
  if (progress.total > 0) {
    line += fmt::format(" of {} ({:.0f} %)", format_amount(progress.total, progress.unit),
                        100 * share_of(progress));
  }
  return line + rate_words(progress, seconds);
}

std::string progress_bar(const Progress& progress, double seconds, std::size_t width,
                         BarStyle style) {
  if (progress.total == 0) return fit(progress_words(progress, seconds), width);
  constexpr std::size_t kLongest = 20;  // columns: a step is 5 %
  constexpr std::size_t kShortest = 6;
  const double share = std::min(1.0, share_of(progress));
  const std::string rest = fmt::format("{:.0f} %{}", 100 * share, rate_words(progress, seconds));
  const std::size_t others = display_width(progress.stage) + display_width(rest) + 4;  // " [] "
  std::string bar;
  if (others + kShortest <= width) {
    bar = fmt::format("[{}] ", draw_bar(share, std::min(kLongest, width - others), style));
  }
  return fit(fmt::format("{} {}{}", progress.stage, bar, rest), width);
}

}  // namespace mhe::app

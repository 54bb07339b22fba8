// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/console.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "flags/usage_error.h"
#include "output/progress_line.h"
#include "output/units.h"

namespace mhe::app {
namespace {

double cpu_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Columns of the terminal behind a descriptor, or 80.
std::size_t width_of(int descriptor) {
  winsize size = {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  return 80;
}

// The library names options; here they are flags.
std::string with_flags(std::string text) {
  constexpr std::string_view kOption = "the option ";
  for (std::size_t at = 0; (at = text.find(kOption, at)) != std::string::npos;) {
    text.replace(at, kOption.size(), "--");
    for (at += 2; at < text.size() && text[at] != ' '; ++at) {
      if (text[at] == '_') text[at] = '-';
    }
  }
  return text;
}

}  // namespace

std::string wrap_words(std::string_view text, std::size_t width, std::string_view indent) {
  std::string wrapped;
  for (std::size_t room = width; text.size() > room; room = width - indent.size()) {
    std::size_t blank = text.rfind(' ', room);
    if (blank == std::string_view::npos || blank == 0) blank = text.find(' ', room);
    if (blank == std::string_view::npos) break;
    wrapped += fmt::format("{}\n{}", text.substr(0, blank), indent);
    text.remove_prefix(blank + 1);
  }
  return wrapped + std::string(text);
}

Console::Console() : error_is_terminal_(::isatty(STDERR_FILENO) == 1) {}

void Console::print(std::string_view text) {
  clear_progress();
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw_error(ErrorCode::kIo, "cannot write standard output: {}",
                std::generic_category().message(errno));
  }
}

void Console::say(std::string_view line) {
  clear_progress();
  const std::string whole = with_flags(fmt::format("mhe: {}", line));
  fmt::print(stderr, "{}\n",
             error_is_terminal_ ? wrap_words(whole, width_of(STDERR_FILENO), "     ") : whole);
}

void Console::show(const Progress& progress) {
  const auto now = Clock::now();
  const bool begins = progress.stage != stage_;
  if (begins) {
    stage_ = progress.stage;
    stage_start_ = now;
    if (!error_is_terminal_) last_shown_ = now;
  }
  // A bar shows every stage and is redrawn ten times a second at most; a log gets a line every ten
  // seconds.
  const auto interval =
      error_is_terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(10);
  if (now - last_shown_ < interval && !(begins && error_is_terminal_)) return;
  last_shown_ = now;
  const double seconds = std::chrono::duration<double>(now - stage_start_).count();
  if (!error_is_terminal_) {
    fmt::print(stderr, "mhe: {}\n", progress_words(progress, seconds));
    return;
  }
  // One column stays free: a full line would wrap on some terminals.
  fmt::print(
      stderr, "\r\x1b[K{}",
      progress_bar(progress, seconds, width_of(STDERR_FILENO) - 1, bar_style_of_environment()));
  bar_visible_ = true;
}

void Console::clear_progress() {
  if (bar_visible_) fmt::print(stderr, "\r\x1b[K");
  bar_visible_ = false;
}

void Console::summarize(const Summary& summary) {
  std::string line;
  if (summary.rows) line += format_count(*summary.rows, "row") + ", ";
  if (summary.labels) line += format_count(*summary.labels, "label") + ", ";
  const Usage used = usage();
  say(fmt::format("{}{:.2f} s wall, {:.2f} s CPU, {} peak memory", line, used.wall_seconds,
                  used.cpu_seconds, format_bytes(used.peak_bytes)));
}

Usage Console::usage() const {
  rusage used = {};
  ::getrusage(RUSAGE_SELF, &used);
  constexpr std::uint64_t kKibibyte = 1024;  // ru_maxrss counts them
  return {wall_seconds(), cpu_seconds(used),
          static_cast<std::uint64_t>(used.ru_maxrss) * kKibibyte};
}

ContextOptions Console::context_options(std::size_t threads, std::uint64_t seed) {
  ContextOptions options;
  options.threads = threads;
  options.seed = seed;
  options.on_warning = [this](std::string_view message) { say(message); };
  options.on_progress = [this](const Progress& progress) { show(progress); };
  return options;
}

std::unique_ptr<Context> Console::make_context(std::size_t threads, std::uint64_t seed) {
  return std::make_unique<Context>(context_options(threads, seed));
}

double Console::wall_seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::size_t Console::width() const {
  return width_of(STDOUT_FILENO);
}

}  // namespace mhe::app

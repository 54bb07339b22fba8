// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How verbs speak: results on standard output, words and progress on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <mhe/context.h>

namespace mhe::app {

/// What the closing line of a verb tells beside time and memory.
struct Summary {
  std::optional<std::uint64_t> rows;
  std::optional<std::uint64_t> labels;
};

/// What the run has used so far.
struct Usage {
  double wall_seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;
};

/// `text` broken at blanks into lines of at most `width` bytes, each after the first behind
/// `indent`; a longer word stays whole.
[[nodiscard]] std::string wrap_words(std::string_view text, std::size_t width,
                                     std::string_view indent);

/// Standard output and error of one run of a verb.
class Console {
 public:
  Console();

  /// Writes to standard output; throws kIo if it cannot (a full disk, not a closed pipe).
  void print(std::string_view text);
  /// One line of words on standard error, behind "mhe: ". Options that the library names are shown
  /// as flags.
  void say(std::string_view line);
  /// A progress bar on a terminal; elsewhere a line every ten seconds.
  void show(const Progress& progress);
  /// The closing line: rows, labels, wall and CPU seconds, peak memory.
  void summarize(const Summary& summary);
  /// Removes a progress bar that is still on the screen.
  void clear_progress();

  /// Words and progress come here. `threads` 0: one per core.
  [[nodiscard]] ContextOptions context_options(std::size_t threads, std::uint64_t seed = 1);
  /// A Context of these options.
  [[nodiscard]] std::unique_ptr<Context> make_context(std::size_t threads, std::uint64_t seed = 1);

  [[nodiscard]] Usage usage() const;
  [[nodiscard]] double wall_seconds() const;
  /// Columns of the terminal that standard output is, or 80.
  [[nodiscard]] std::size_t width() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point stage_start_ = start_;
  Clock::time_point last_shown_ = start_;
  std::string stage_;
  bool error_is_terminal_ = false;
  bool bar_visible_ = false;
};

}  // namespace mhe::app

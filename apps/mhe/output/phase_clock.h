// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the time of a training goes, by the stages of its progress.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <mhe/context.h>

#include "output/console.h"

namespace mhe::app {

struct Phase {
  std::string name;
  double wall_s = 0;
  double cpu_s = 0;
};

/// Shares time out to phases: a phase lasts until a stage of another one is reported.
class PhaseClock {
 public:
  explicit PhaseClock(const Console& console) : console_(console), last_(console.usage()) {}

  void see(const Progress& progress);
  /// Ends the phase at hand; call it before phases().
  void stop();
  /// In the order in which they began.
  [[nodiscard]] const std::vector<Phase>& phases() const noexcept { return phases_; }

 private:
  const Console& console_;
  Usage last_;
  std::string current_ = "reading";
  std::vector<Phase> phases_;
};

/// A context as Console::make_context() gives it, whose stages `watch`, which may throw, and the
/// clock see too.
[[nodiscard]] std::unique_ptr<Context> make_timed_context(Console& console, PhaseClock& clock,
                                                          ContextOptions options);

}  // namespace mhe::app

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/phase_clock.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace mhe::app {
namespace {

// What a stage of the library's progress is called here, after `current`.
std::string phase_of(const Progress& progress, const std::string& current) {
  if (progress.stage == "making features") return "features";
  if (progress.stage.starts_with("reading")) return "reading";
  if (progress.stage == "calibrating") return "calibration";
  if (progress.stage == "writing the model") return "writing";
  if (progress.stage.starts_with("trying")) return "trials";
  // A trial trains a model; what comes behind trials begins with reading.
  if (current == "trials") return current;
  if (progress.stage == "ordering labels" || progress.stage == "clustering labels") {
    return "ordering";
  }
  if (progress.stage == "finding candidates") return "candidates";
  if (progress.stage.starts_with("training level ")) {
    return std::string(progress.stage.substr(std::string_view("training ").size()));
  }
  return std::string(progress.stage);
}

}  // namespace

void PhaseClock::see(const Progress& progress) {
  std::string name = phase_of(progress, current_);
  if (name == current_) return;
  stop();
  current_ = std::move(name);
}

void PhaseClock::stop() {
  const Usage now = console_.usage();
  auto phase = std::find_if(phases_.begin(), phases_.end(),
                            [&](const Phase& other) { return other.name == current_; });
  if (phase == phases_.end()) phase = phases_.insert(phases_.end(), {current_});
  phase->wall_s += now.wall_seconds - last_.wall_seconds;
  phase->cpu_s += now.cpu_seconds - last_.cpu_seconds;
  last_ = now;
}

std::unique_ptr<Context> make_timed_context(Console& console, PhaseClock& clock,
                                            ContextOptions options) {
  ContextOptions shown = console.context_options(options.threads, options.seed);
  options.on_warning = std::move(shown.on_warning);
  options.on_progress = [&console, &clock](const Progress& progress) {
    clock.see(progress);
    console.show(progress);
  };
  return std::make_unique<Context>(std::move(options));
}

}  // namespace mhe::app

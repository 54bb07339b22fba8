// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The tasks of `mhe data`: each is a subcommand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tasks/task.h"
#include "verbs/debian_packages.h"
#include "verbs/verbs.h"

namespace mhe::app {

/// Flags that all tasks have.
struct TaskFlags {
  std::string out;
  bool force = false;
  bool install = false;
  bool json = false;
  std::uint64_t seed = 1;
  std::size_t threads = 0;

  [[nodiscard]] Consent consent() const { return install ? Consent::kGiven : Consent::kAsk; }
};

/// What a task does when its flags are known.
using BuildTask = std::function<tasks::TaskResult(Console& console, const Context& context,
                                                  const tasks::TaskOutput& output)>;

/// A task: its name, a line of help, and how its own flags are added. `common` outlives the parser.
struct DataTask {
  std::string_view name;
  std::string_view help;
  BuildTask (*add)(CLI::App& command, TaskFlags& common);
};

BuildTask add_cjk_glyphs(CLI::App& command, TaskFlags& common);
BuildTask add_debian_deps(CLI::App& command, TaskFlags& common);
BuildTask add_reverse_dictionary(CLI::App& command, TaskFlags& common);
BuildTask add_synthetic(CLI::App& command, TaskFlags& common);

}  // namespace mhe::app

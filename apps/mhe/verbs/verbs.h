// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a verb is: a name, a line of help, its flags, and what it does. The entry point of each is
// defined in the file named after it.
#pragma once

#include <functional>
#include <string_view>

#include <CLI/CLI.hpp>

#include "flags/usage_error.h"
#include "output/console.h"

namespace mhe::app {

/// Adds a verb's flags to its subcommand and returns what runs when the verb was given.
using AddVerb = std::function<void(Console& console)> (*)(CLI::App& command);

struct Verb {
  std::string_view name;
  std::string_view help;
  AddVerb add;
};

std::function<void(Console&)> add_bench(CLI::App& command);
std::function<void(Console&)> add_convert(CLI::App& command);
std::function<void(Console&)> add_data(CLI::App& command);
std::function<void(Console&)> add_eval(CLI::App& command);
std::function<void(Console&)> add_features(CLI::App& command);
std::function<void(Console&)> add_info(CLI::App& command);
std::function<void(Console&)> add_inspect(CLI::App& command);
std::function<void(Console&)> add_lab(CLI::App& command);
std::function<void(Console&)> add_metrics(CLI::App& command);
std::function<void(Console&)> add_order(CLI::App& command);
std::function<void(Console&)> add_plan(CLI::App& command);
std::function<void(Console&)> add_predict(CLI::App& command);
std::function<void(Console&)> add_stats(CLI::App& command);
std::function<void(Console&)> add_train(CLI::App& command);

// The subcommands of `mhe bench`.
std::function<void(Console&)> add_bench_epoch(CLI::App& command);
std::function<void(Console&)> add_bench_heads(CLI::App& command);
std::function<void(Console&)> add_bench_predict(CLI::App& command);
std::function<void(Console&)> add_bench_train(CLI::App& command);

}  // namespace mhe::app

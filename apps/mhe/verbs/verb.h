// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a verb is: a name, a line of help, its flags, and what it does.
#pragma once

#include <functional>
#include <span>
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

/// Every verb, in the order that --help shows.
[[nodiscard]] std::span<const Verb> all_verbs();

}  // namespace mhe::app

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A verb's flags as a JSON object: the name of a flag without its dashes, in lower case, and its
// value. null stands for a flag that is not given.
#pragma once

#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "flags/option_flags.h"

namespace mhe::app {

/// Adds --config and --dump-config, which are never part of a configuration themselves.
void add_config_flags(CLI::App& command, std::string& config, bool& dump);

/// Gives the flags that a file names and the command line does not. Throws UsageError, naming file
/// and key, for keys that the verb does not have and values that a flag does not take; kNotFound,
/// kIo.
void apply_config(CLI::App& command, const std::string& path);

/// All flags of a verb. Those that `known` names have the values it gives.
[[nodiscard]] nlohmann::ordered_json dump_config(const CLI::App& command,
                                                 const nlohmann::ordered_json& known);

/// The options of a struct under the names of their flags, for dump_config().
template <class Options>
[[nodiscard]] nlohmann::ordered_json option_values(const CLI::App& command, Options options) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  options.visit([&](const char* name, auto& value, const char*) {
    const std::string flag = OptionFlags::kebab(name);
    // What has no flag is no part of a configuration.
    if constexpr (std::is_constructible_v<nlohmann::ordered_json, decltype(value)>) {
      if (command.get_option_no_throw("--" + flag) != nullptr) json[flag] = value;
    }
  });
  return json;
}

}  // namespace mhe::app

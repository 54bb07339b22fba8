// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What --help looks like: 80 columns, plain words for what a flag takes, defaults as they act.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace mhe::app {

/// What --help shows first: these flags and examples. --help-all then shows all flags.
void show_first(CLI::App& command, std::initializer_list<std::string_view> flags,
                const std::string& examples);

/// What holds for the options of all commands: a list is one word, since the next may be a file;
/// what counts something takes no minus, which would make it very large; help says in words what a
/// default does.
void complete_options(CLI::App& command);

/// A description with the value that is taken if the flag is not given. Where the description says
/// what that value means ("...; 0: by the data"), its meaning takes the place of the value.
[[nodiscard]] std::string with_default(std::string description, const std::string& value);

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* command) const override;
  std::string make_usage(const CLI::App* command, std::string name) const override;
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace mhe::app

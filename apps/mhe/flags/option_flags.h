// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>

namespace mhe::app {

/// Makes a flag of every option that an options struct visits: "min_df" becomes --min-df, a bool
/// also --no-..., a list takes commas. Options of other kinds (structs) get none.
class OptionFlags {
 public:
  explicit OptionFlags(CLI::App& command) : command_(command) {}

  void operator()(const char* name, bool& value, const char* help) const {
    const std::string flag = kebab(name);
    const std::string text = std::string(help) + (value ? "; default: on" : "; default: off");
    command_.add_flag("--" + flag + ",!--no-" + flag, value, text);
  }
  template <class T>
  void operator()(const char* name, T& value, const char* help) const {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      command_.add_option("--" + kebab(name), value, help)->capture_default_str();
    }
  }
  template <class T>
  void operator()(const char* name, std::vector<T>& value, const char* help) const {
    if constexpr (std::is_arithmetic_v<T>) {
      command_.add_option("--" + kebab(name), value, help)->delimiter(',');
    }
  }

  /// "min_df" as "min-df".
  [[nodiscard]] static std::string kebab(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
  }

 private:
  CLI::App& command_;
};

/// The same for options whose flags the command does not have yet; those it has are shared.
class NewFlags {
 public:
  explicit NewFlags(CLI::App& command) : command_(command), add_(command) {}

  template <class T>
  void operator()(const char* name, T& value, const char* help) const {
    const std::string flag = "--" + OptionFlags::kebab(name);
    if (command_.get_option_no_throw(flag) == nullptr) add_(name, value, help);
  }

 private:
  CLI::App& command_;
  OptionFlags add_;
};

/// Whether the flag of an option, by its name in the struct, was given on the command line.
inline bool is_given(const CLI::App& command, const char* name) {
  const CLI::Option* option = command.get_option_no_throw("--" + OptionFlags::kebab(name));
  return option != nullptr && option->count() > 0;
}

/// Copies the options that were given on the command line, so that the others stay as a preset has
/// them. `from` is the struct that OptionFlags wrote to.
template <class Options>
void copy_given(const CLI::App& command, Options& from, Options& to) {
  std::vector<void*> sources;
  from.visit([&](const char*, auto& value, const char*) { sources.push_back(&value); });
  std::size_t next = 0;
  to.visit([&](const char* name, auto& value, const char*) {
    const void* source = sources[next++];
    if (!is_given(command, name)) return;
    value = *static_cast<const std::decay_t<decltype(value)>*>(source);
  });
}

/// Names of all options of a struct.
template <class Options>
std::set<std::string> option_names(Options options) {
  std::set<std::string> names;
  options.visit([&](const char* name, auto&, const char*) { names.insert(name); });
  return names;
}

/// Names of the options that were given on the command line.
template <class Options>
std::set<std::string> given_options(const CLI::App& command, Options options) {
  std::set<std::string> given;
  options.visit([&](const char* name, auto&, const char*) {
    if (is_given(command, name)) given.insert(name);
  });
  return given;
}

}  // namespace mhe::app

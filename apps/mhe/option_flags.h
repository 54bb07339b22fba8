// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
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
    command_.add_flag("--" + flag + ",!--no-" + flag, value, help);
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

 private:
  static std::string kebab(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
  }

  CLI::App& command_;
};

}  // namespace mhe::app

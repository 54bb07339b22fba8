// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The flags shared by verbs that read data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <mhe/dataset.h>

namespace mhe::app {

/// What the flags were given; empty or 0 where they were not.
struct DataFlags {
  std::string format = "auto";
  std::string label_file;
  std::vector<std::string> columns;
  std::vector<std::string> text;
  std::string labels;
  std::string label_separator;
  std::string label_prefix;
  std::string id;
  int index_base = -1;
  std::uint64_t skip_bad = 0;
};

/// Adds the flags to a verb. `flags` must outlive the parser.
void add_data_flags(CLI::App& command, DataFlags& flags);

/// Adds --own: text columns with features of their own, as make_fields() of <mhe/text.h> reads
/// them.
void add_own_flag(CLI::App& command, std::vector<std::string>& own);

/// How to read `path` with these flags. Throws UsageError.
[[nodiscard]] ReadOptions make_read_options(const DataFlags& flags, const std::string& path);

/// A label separator as given on the command line: "tab", "space", "comma", "none" (the whole text
/// is one label) or the characters themselves.
[[nodiscard]] std::string parse_label_separator(const std::string& text);

}  // namespace mhe::app

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The flags of verbs that write a data set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include <mhe/dataset.h>

namespace mhe::app {

/// What the flags were given; empty where they were not.
struct WriteFlags {
  std::string output;
  std::string to = "auto";
  std::string label_file_out;
  std::string label_names;
  std::string label_names_out;
  std::string label_separator_out;
  std::optional<std::uint64_t> num_features;
  std::optional<std::uint64_t> num_labels;
};

/// Adds the output and its flags to a verb. `flags` must outlive the parser.
void add_write_flags(CLI::App& command, WriteFlags& flags);

/// Where and how to write. Throws UsageError.
[[nodiscard]] WriteOptions make_write_options(const WriteFlags& flags);

/// The names of --label-names, in its order; none if the flag was not given.
[[nodiscard]] LabelNames load_label_names(const Context& context, const WriteFlags& flags);

}  // namespace mhe::app

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Flags of training options, shared by the verbs that train or plan a training.
#pragma once

#include <set>
#include <string>

#include <CLI/CLI.hpp>

#include <mhe/train.h>

namespace mhe::app {

struct TrainOptionFlags {
  std::string preset = "default";
  TrainOptions options;  ///< where given on the command line
};

/// Adds --preset, --encoder, --own and a flag for each option that the command does not have yet,
/// grouped in its help by the encoders they belong to. `flags` must outlive the parser.
void add_train_options(CLI::App& command, TrainOptionFlags& flags);

/// The preset with what was given, for the encoder of the data; `data` null: there is none yet.
[[nodiscard]] TrainOptions make_train_options(const CLI::App& command,
                                              const TrainOptionFlags& flags, const Context& context,
                                              const Dataset* data);

/// Names of the options that an encoder does not have.
[[nodiscard]] std::set<std::string, std::less<>> foreign_options(const std::string& encoder);

}  // namespace mhe::app

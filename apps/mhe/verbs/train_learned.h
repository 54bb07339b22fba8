// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of `mhe train` that trains learned encoders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include <CLI/CLI.hpp>

#include "output/console.h"
#include "train/linear_rules.h"
#include "train/train_learned.h"

namespace mhe::app {

struct LearnedFlags {
  std::string encoder;   ///< empty: by the kind of the data
  TrainOptions options;  ///< those that the linear encoder does not have
};

/// Adds --encoder and the flags of learned encoders; those that are there already are shared.
void add_learned_flags(CLI::App& command, LearnedFlags& flags);

/// Groups the flags of a command in its help, so that nobody has to read past those of an encoder
/// that is not theirs.
void group_by_encoder(CLI::App& command);

/// Names of the options that are no part of a configuration of this encoder.
[[nodiscard]] std::set<std::string> foreign_options(const std::string& encoder);

/// "linear", "bag" or "dense": as given, or by the kind of the data. Throws UsageError if a flag
/// was given that the encoder does not have.
[[nodiscard]] std::string choose_encoder(const CLI::App& command, const LearnedFlags& flags,
                                         const data::ReadOptions& input);

/// What there is to train with.
struct LearnedTask {
  data::ReadOptions input;
  TrainOptions options;
  train::LearnedRun run;
  std::size_t threads = 0;
  std::uint64_t seed = 1;
  bool json = false;
  std::string report = {};  ///< where a page goes; empty: nowhere
};

/// The options given on the command line, shared ones from `linear`.
[[nodiscard]] TrainOptions make_learned_options(const CLI::App& command, const LearnedFlags& flags,
                                                TrainOptions linear);

/// Such as "101,241 inputs to 512 features".
[[nodiscard]] std::string describe_encoder(const encoders::EncoderSpec& spec);

/// Trains, and tells about it.
void run_train_learned(Console& console, LearnedTask task);

}  // namespace mhe::app

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// `mhe plan DATA`: what a training will take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "flags/data_flags.h"
#include "verbs/train_options.h"
#include "verbs/verbs.h"

namespace mhe::app {

struct DataPlanFlags {
  std::string input;
  DataFlags data;
  TrainOptionFlags train;
  std::size_t threads = 0;
};

/// Adds DATA, and the flags of training that the command does not have yet.
void add_data_plan_flags(CLI::App& command, DataPlanFlags& flags);

/// How a plan is made and shown.
struct DataPlanRun {
  std::uint64_t ram_bytes = 0;
  bool json = false;
};
void run_data_plan(Console& console, const DataPlanFlags& flags, const CLI::App& command,
                   const DataPlanRun& run);

}  // namespace mhe::app

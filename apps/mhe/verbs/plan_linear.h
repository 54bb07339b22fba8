// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// `mhe plan DATA`: what training a linear model on this data takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flags/data_flags.h"
#include "train/linear_rules.h"
#include "verbs/verb.h"

namespace mhe::app {

struct LinearPlanFlags {
  std::string input;  ///< empty: no data, plan by numbers
  std::string preset = "default";
  std::vector<std::string> own;
  DataFlags data;
  TrainOptions options;  ///< where given on the command line
  std::size_t threads = 0;
  std::uint64_t ram_bytes = 0;
  bool json = false;
};

/// Adds DATA and the flags that go with it, except those that the verb has already.
void add_linear_plan_flags(CLI::App& command, LinearPlanFlags& flags);

void run_linear_plan(Console& console, LinearPlanFlags flags, const CLI::App& command);

}  // namespace mhe::app

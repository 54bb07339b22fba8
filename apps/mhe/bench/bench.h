// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The subcommands of `mhe bench`.
#pragma once

#include <functional>

#include "verbs/verb.h"

namespace mhe::app {

std::function<void(Console&)> add_bench_epoch(CLI::App& command);
std::function<void(Console&)> add_bench_heads(CLI::App& command);
std::function<void(Console&)> add_bench_predict(CLI::App& command);
std::function<void(Console&)> add_bench_train(CLI::App& command);

}  // namespace mhe::app

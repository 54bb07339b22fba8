// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The verbs' entry points; each is defined in the file named after it, verb_NAME.cc.
#pragma once

#include <functional>

#include "verbs/verb.h"

namespace mhe::app {

std::function<void(Console&)> add_bench(CLI::App& command);
std::function<void(Console&)> add_convert(CLI::App& command);
std::function<void(Console&)> add_data(CLI::App& command);
std::function<void(Console&)> add_eval(CLI::App& command);
std::function<void(Console&)> add_features(CLI::App& command);
std::function<void(Console&)> add_info(CLI::App& command);
std::function<void(Console&)> add_inspect(CLI::App& command);
std::function<void(Console&)> add_metrics(CLI::App& command);
std::function<void(Console&)> add_order(CLI::App& command);
std::function<void(Console&)> add_plan(CLI::App& command);
std::function<void(Console&)> add_predict(CLI::App& command);
std::function<void(Console&)> add_stats(CLI::App& command);
std::function<void(Console&)> add_train(CLI::App& command);

}  // namespace mhe::app

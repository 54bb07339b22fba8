// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// `mhe plan DATA --encoder bag|dense`: what training a learned model on this data takes.
#pragma once

#include "output/console.h"
#include "verbs/train_learned.h"

namespace mhe::app {

/// Reads the data of the task and tells what training it would take; nothing is trained.
void run_learned_plan(Console& console, const LearnedTask& task);

}  // namespace mhe::app

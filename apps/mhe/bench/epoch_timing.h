// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// An epoch of a learned encoder, timed part by part: what `mhe bench epoch` is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mhe/context.h>

#include "bench/machine_roof.h"
#include "train/gradient_plan.h"
#include "train/gradient_rules.h"
#include "train/training_set.h"

namespace mhe::app {

/// A part of an epoch and the work that nobody can spare it.
struct EpochPart {
  std::string name;
  double seconds = 0;
  double flops = 0;
  double near_bytes = 0;   ///< of rows that an example uses; a near cache may have them
  double far_bytes = 0;    ///< of each row that a batch touches, once: read, and written if moved
  double far_seconds = 0;  ///< what these take if nothing else is done with the same rows
};

struct EpochTiming {
  std::vector<EpochPart> parts;
  std::size_t steps = 0;
  double touched_features = 0;   ///< of a batch, in the mean
  double touched_head_rows = 0;  ///< of the first step
};

/// Trains one epoch, unless more are asked for, of which the quickest is told.
[[nodiscard]] EpochTiming time_epoch(const Context& context, const train::Examples& examples,
                                     const train::GradientPlan& plan, const TrainOptions& options,
                                     std::size_t repeat);

/// Seconds of a part if nothing but what is slowest of its work holds it up.
[[nodiscard]] double roof_seconds(const EpochPart& part, const MachineRoof& roof,
                                  double near_gb_per_s);

}  // namespace mhe::app

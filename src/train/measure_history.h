// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Fills a TrainingHistory for a linear model. Costs some rankings of the rows that judge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/context.h"
#include "heads/train_cascade.h"
#include "model/linear_model.h"
#include "train/training_history.h"
#include "train/training_set.h"
#include "train/tune.h"

namespace mhe::train {

[[nodiscard]] DataSummary summarize_data(const Examples& examples, std::size_t num_labels);

/// How far the solver of each level was from its last objective, sweep by sweep. Levels without
/// any sweeps are left out.
[[nodiscard]] Chart solver_chart(const heads::CascadeTrace& trace, std::size_t num_levels);

/// The search for settings, trial by trial.
[[nodiscard]] Chart trials_chart(std::span<const Trial> trials);

/// What the rows that judge, at least one, tell of the members: metrics, reliability, heads, and
/// charts over cutoffs, thresholds, powers of the path and beams. `set` is what was trained on.
/// The curve from scores to probabilities is fitted to four fifths of the rows and judged by the
/// rest, in turn, so that no row judges what it has shaped.
void measure_held_out(const Context& context, std::span<const model::TrainedMember> members,
                      const TrainingSet& set, const Examples& judged, TrainingHistory& history);

}  // namespace mhe::train

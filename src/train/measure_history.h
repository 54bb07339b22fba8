// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Fills a TrainingHistory. Costs some rankings of validation rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/context.h>
#include <mhe/train.h>

#include "heads/train_cascade.h"
#include "train/member_fitter.h"
#include "train/members.h"
#include "train/resume_file.h"
#include "train/training_set.h"

namespace mhe::train {

[[nodiscard]] DataSummary summarize_data(const Examples& examples, std::size_t num_labels);

/// How far the solver of each level was from its last objective, sweep by sweep. Levels without
/// any sweeps are left out.
[[nodiscard]] Chart solver_chart(const heads::CascadeTrace& trace, std::size_t num_levels);

/// The search for settings, trial by trial.
[[nodiscard]] Chart trials_chart(std::span<const Trial> trials);

/// Loss and, where it was measured, quality epoch by epoch; a curve a member.
[[nodiscard]] std::vector<Chart> epoch_charts(std::span<const std::vector<EpochReport>> members);

/// The best labels of validation rows with their scores, RowCalibration::kDepth of each, and the
/// labels that are true.
struct ValidatedRows {
  const Ragged<ScoredLabel>& ranked;
  const Ragged<LabelId>& truth;
};

/// Their scores as probabilities, by a calibration that is fitted to four fifths of the rows and
/// applied to the rest, in turn, so that no row had a part in its own.
[[nodiscard]] RankedRows cross_calibrate(const ValidatedRows& rows, bool one_label);

/// What validation rows, at least one, tell of a model of any kind: metrics, reliability, and
/// charts over cutoffs and thresholds. `set` is what was trained on.
void measure_ranking(const Context& context, const ValidatedRows& rows,
                     const RankedRows& probabilities, const TrainingSet& set,
                     TrainingHistory& history);

/// Of a linear member that was fitted: its heads, parent weights and beams.
void measure_cascades(const Context& context, std::span<const TrainedCascade> cascades,
                      const model::LinearMember& member, const FitData& data,
                      TrainingHistory& history);

}  // namespace mhe::train

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What rows that were not trained on tell: how much the path should count, what a score is worth,
// how good the model is.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/context.h"
#include "metrics/calibration.h"
#include "model/linear_model.h"
#include "train/training_set.h"

namespace mhe::train {

/// Precision at 1, 3 and 5, in per cent.
struct Precision {
  double at_1 = 0;
  double at_3 = 0;
  double at_5 = 0;
};

[[nodiscard]] Precision measure_precision(const Context& context, const model::Scorers& scorers,
                                          const Examples& rows);

/// nDCG@5 of each row, in per cent: of one number for a ranking, the one that depends least on
/// single labels.
[[nodiscard]] std::vector<double> discounted_gains(const Context& context,
                                                   const model::Scorers& scorers,
                                                   const Examples& rows);

[[nodiscard]] double mean_gain(std::span<const double> gains);

/// Whether the rows' gains of `trial` over `best` are more than chance would make them: so many
/// standard errors of their differences, and something that a person would notice.
[[nodiscard]] bool is_better(std::span<const double> trial, std::span<const double> best,
                             double standard_errors = 1);

/// The power of the path under which the member ranks `rows` best; its own if there are too few to
/// tell.
[[nodiscard]] float choose_parent_power(const Context& context, const model::LinearMember& member,
                                        const Examples& rows);

/// Scores of the best labels of each row against whether they are true.
[[nodiscard]] metrics::Calibration calibrate(const Context& context, const model::Scorers& scorers,
                                             const Examples& rows);

}  // namespace mhe::train

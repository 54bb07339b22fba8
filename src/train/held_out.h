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
#include "matrix/ragged.h"
#include "metrics/calibration.h"
#include "model/linear_model.h"
#include "train/training_set.h"

namespace mhe::train {

/// The best labels of every row, best first, and whether they are true.
using RankedRows = Ragged<metrics::ScoredHit>;

/// The `k` best; 10 reach beyond the true labels of most rows, so that misses show too.
[[nodiscard]] RankedRows rank_rows(const Context& context,
                                   std::span<const model::LinearMember> members,
                                   const Examples& rows, std::size_t k = 10);

/// Precision at 1, 3 and 5, in per cent.
struct Precision {
  double at_1 = 0;
  double at_3 = 0;
  double at_5 = 0;
};

/// Of rows ranked at least 5 deep.
[[nodiscard]] Precision precision_of(const RankedRows& ranked);

/// nDCG@5 of each row, in per cent: of one number for a ranking, the one that depends least on
/// single labels.
[[nodiscard]] std::vector<double> discounted_gains(const Context& context,
                                                   std::span<const model::LinearMember> members,
                                                   const Examples& rows);

/// The power of the path under which the member ranks `rows` best; its own if there are too few to
/// tell.
[[nodiscard]] float choose_parent_power(const Context& context, const model::LinearMember& member,
                                        const Examples& rows);

}  // namespace mhe::train

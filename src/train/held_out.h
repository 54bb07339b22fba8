// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What rows that were not trained on tell: how much the path should count, what a score is worth,
// how good the model is.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <mhe/model.h>

#include "base/context.h"
#include "metrics/calibration.h"
#include "model/learned_model.h"
#include "model/linear_model.h"
#include "train/training_set.h"

namespace mhe::train {

/// Precision at 1, 3 and 5, in per cent.
struct Precision {
  double at_1 = 0;
  double at_3 = 0;
  double at_5 = 0;
};

/// Finds the k best labels of a row by its number; for one thread, valid until the next call.
using RowSearch = std::function<std::span<const mhe::Prediction>(std::size_t row, std::size_t k)>;

/// Rows to judge by, and how labels are found for them.
struct Judged {
  const Ragged<LabelId>& truth;
  std::function<RowSearch()> make_search;
};

/// What these members find for `rows`; all must outlive it.
[[nodiscard]] Judged judged_by(std::span<const model::LinearMember> members, const Examples& rows);
[[nodiscard]] Judged judged_by(std::span<const model::LearnedMember> members, const Examples& rows);

[[nodiscard]] Precision measure_precision(const Context& context, const Judged& judged);

/// nDCG@5 of each row, in per cent: of one number for a ranking, the one that depends least on
/// single labels.
[[nodiscard]] std::vector<double> discounted_gains(const Context& context, const Judged& judged);

/// Their mean; 0 if there are no rows.
[[nodiscard]] double mean_gain(const Context& context, const Judged& judged);

/// The power of the path under which the member ranks `rows` best; its own if there are too few to
/// tell.
[[nodiscard]] float choose_parent_power(const Context& context, const model::LinearMember& member,
                                        const Examples& rows);

[[nodiscard]] float choose_parent_power(const Context& context, const model::LearnedMember& member,
                                        const Examples& rows);

/// Scores of the best labels of each row against whether they are true.
[[nodiscard]] metrics::Calibration calibrate(const Context& context, const Judged& judged);

/// The same for linear members.
[[nodiscard]] inline Precision measure_precision(const Context& context,
                                                 std::span<const model::LinearMember> members,
                                                 const Examples& rows) {
  return measure_precision(context, judged_by(members, rows));
}
[[nodiscard]] inline std::vector<double> discounted_gains(
    const Context& context, std::span<const model::LinearMember> members, const Examples& rows) {
  return discounted_gains(context, judged_by(members, rows));
}
[[nodiscard]] inline metrics::Calibration calibrate(const Context& context,
                                                    std::span<const model::LinearMember> members,
                                                    const Examples& rows) {
  return calibrate(context, judged_by(members, rows));
}

}  // namespace mhe::train

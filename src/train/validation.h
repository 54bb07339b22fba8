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

#include <mhe/context.h>
#include <mhe/ids.h>
#include <mhe/input.h>
#include <mhe/train.h>

#include "metrics/calibration.h"
#include "model/dense_member.h"
#include "model/linear_member.h"
#include "train/training_set.h"

namespace mhe::train {

/// Finds the k best labels of a row by its number; for one thread, valid until the next call.
using RowSearch = std::function<std::span<const ScoredLabel>(std::size_t row, std::size_t k)>;

/// Rows for validation, and how labels are found for them.
struct RankingTask {
  const Ragged<LabelId>& truth;
  std::function<RowSearch()> make_search;
};

/// What these members find for `rows`; all must outlive it.
[[nodiscard]] RankingTask ranking_of(model::MemberSpan members, const Examples& rows);
[[nodiscard]] RankingTask ranking_of(const model::Member& member, const Examples& rows);

/// The k best labels of every row, best first, with their scores.
[[nodiscard]] Ragged<ScoredLabel> rank_labels(const Context& context, const RankingTask& validation,
                                              std::size_t k);

/// The most probable set of labels of every row, from members that predict sets.
[[nodiscard]] Ragged<LabelId> best_sets(const Context& context, model::MemberSpan members,
                                        const Examples& rows);

/// The best labels of every row, best first: their scores, and whether they are true.
using RankedRows = Ragged<metrics::ScoredHit>;

[[nodiscard]] RankedRows mark_hits(const Ragged<ScoredLabel>& ranked, const Ragged<LabelId>& truth);

/// The `k` best; 10 reach beyond the true labels of most rows, so that misses show too.
[[nodiscard]] RankedRows rank_rows(const Context& context, const RankingTask& validation,
                                   std::size_t k = 10);

/// Of rows ranked at least 5 deep.
[[nodiscard]] Precision precision_of(const RankedRows& ranked);

/// nDCG@5 of each row, in per cent: of one number for a ranking, the one that depends least on
/// single labels.
[[nodiscard]] std::vector<double> discounted_gains(const Context& context,
                                                   const RankingTask& validation);

/// Their mean; 0 if there are no rows.
[[nodiscard]] double mean_gain(std::span<const double> gains);
[[nodiscard]] double mean_gain(const Context& context, const RankingTask& validation);

/// Whether the rows' gains of `trial` over `best` are more than chance would make them: so many
/// standard errors of their differences, and something that a person would notice.
[[nodiscard]] bool is_better(std::span<const double> trial, std::span<const double> best,
                             double standard_errors = 1);

/// The power of the path under which the member ranks `rows` best; its own if there are too few to
/// tell.
[[nodiscard]] float choose_parent_weight(const Context& context, const model::Cascade& cascade,
                                         const Examples& rows);
[[nodiscard]] float choose_parent_weight(const Context& context, const model::DenseParts& parts,
                                         const Examples& rows);

}  // namespace mhe::train

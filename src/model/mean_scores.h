// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranking by the mean score of several searches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mhe/ids.h>

namespace mhe::model {

/// How deep each of several searches goes for the k best labels of their mean: they disagree about
/// the end of their lists, and looking further makes the mean less of a lottery.
[[nodiscard]] std::size_t search_depth(std::size_t num_searches, std::size_t k) noexcept;

/// One entry per label, ascending: the mean of its scores, which are added in ascending order. A
/// label that one search did not find counts as 0 there.
void merge_by_label(std::vector<ScoredLabel>& found, std::size_t num_searches);

/// The k best, best first, equal ones by the smaller id.
std::span<ScoredLabel> keep_best(std::vector<ScoredLabel>& found, std::size_t k);

}  // namespace mhe::model

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mhe/input.h>
#include <mhe/model.h>

#include "heads/sparse_cascade.h"
#include "model/linear_model.h"

namespace mhe::predict {

using Prediction = mhe::Prediction;

/// The k labels of the highest mean score out of what `num_members` searches found, best first,
/// equal ones by the smaller id. A label that one did not find counts as 0 there.
std::span<Prediction> rank_found(std::vector<Prediction>& found, std::size_t num_members,
                                 std::size_t k);

/// How deep each of so many members looks for the k best labels of their mean.
[[nodiscard]] std::size_t search_depth(std::size_t num_members, std::size_t k) noexcept;

/// Searches the cascades of a model and its neighbours side by side. Holds the scratch space, so
/// one per thread; allocates nothing once it has seen the largest input. The members must outlive
/// it.
class MemberSearch {
 public:
  MemberSearch(const model::Scorers& scorers, std::size_t num_labels)
      : members_(scorers.members), neighbours_(scorers.neighbours), num_labels_(num_labels) {}

  /// The k labels of the highest score, best first, equal ones by the smaller id; valid until the
  /// next call. It is the mean of the cascades' scores, mixed with the share of the neighbours as
  /// their weight says. The query has length 1. A label that a cascade does not rank among its best
  /// counts as 0 there. `beam` 0: that of each cascade.
  [[nodiscard]] std::span<Prediction> search(const SparseRow& query, std::size_t k,
                                             std::size_t beam = 0);

  /// The best node of each level of the first cascade in the last search.
  [[nodiscard]] std::span<const std::uint32_t> best_choices() const noexcept { return best_nodes_; }

 private:
  void search_cascades(const SparseRow& query, std::size_t depth, std::size_t beam);
  void add_neighbours(const SparseRow& query);

  std::span<const model::LinearMember> members_;
  heads::NeighbourMember neighbours_;
  std::size_t num_labels_;
  heads::BeamScratch beam_;
  heads::NeighbourScratch rows_;
  std::vector<Prediction> found_;
  std::vector<std::uint32_t> best_nodes_;
};

}  // namespace mhe::predict

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heads/neighbours.h"
#include "heads/sparse_cascade.h"
#include "model/linear_member.h"
#include "model/member.h"

namespace mhe::model {

/// Searches the cascades of a linear member and its neighbours side by side. A label's score is the
/// mean of the cascades' scores, mixed with the share of the neighbours as their weight says. A
/// label that a cascade does not rank among its best counts as 0 there.
class LinearSearch final : public MemberSearch {
 public:
  LinearSearch(const LinearMember& member, std::size_t num_labels)
      : cascades_(member.cascades()), neighbours_(member.neighbours()), num_labels_(num_labels) {}

  void begin(const InputBatch& rows) override { rows_ = std::get<SparseRows>(rows).rows; }
  void search(std::size_t row, const SearchDepth& depth, std::vector<ScoredLabel>& found) override;

  /// The best node of each level of the first cascade in the last search.
  [[nodiscard]] std::span<const std::uint32_t> best_choices() const override { return best_nodes_; }

 private:
  void search_cascades(const SparseRow& query, const SearchDepth& depth);
  void add_neighbours(const SparseRow& query);

  std::span<const Cascade> cascades_;
  heads::NeighbourMember neighbours_;
  std::size_t num_labels_;
  std::span<const SparseRow> rows_;
  heads::BeamScratch beam_;
  heads::NeighbourScratch neighbour_rows_;
  std::vector<ScoredLabel> found_;
  std::vector<std::uint32_t> best_nodes_;
};

}  // namespace mhe::model

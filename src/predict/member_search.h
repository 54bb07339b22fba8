// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mhe/model.h>

#include "heads/sparse_cascade.h"
#include "matrix/sparse.h"
#include "model/linear_model.h"

namespace mhe::predict {

using Prediction = mhe::Prediction;

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
  /// counts as 0 there.
  [[nodiscard]] std::span<Prediction> search(const SparseRow& query, std::size_t k);

 private:
  [[nodiscard]] bool is_alone() const noexcept {
    return members_.size() == 1 && neighbours_.weight == 0;
  }
  [[nodiscard]] std::size_t depth(std::size_t k) const noexcept;
  void search_cascades(const SparseRow& query, std::size_t depth);
  void add_neighbours(const SparseRow& query);
  void merge_labels();

  std::span<const model::LinearMember> members_;
  heads::NeighbourMember neighbours_;
  std::size_t num_labels_;
  heads::BeamScratch beam_;
  heads::NeighbourScratch rows_;
  std::vector<Prediction> found_;
};

}  // namespace mhe::predict

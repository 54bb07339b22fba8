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

/// Searches the cascades of a model side by side. Holds the scratch space, so one per thread;
/// allocates nothing once it has seen the largest input. The members must outlive it.
class MemberSearch {
 public:
  MemberSearch(std::span<const model::LinearMember> members, std::size_t num_labels)
      : members_(members), num_labels_(num_labels) {}

  /// The k labels of the highest mean score, best first, equal ones by the smaller id; valid until
  /// the next call. The query has length 1. A label that a cascade does not rank among its best
  /// counts as 0 there.
  [[nodiscard]] std::span<Prediction> search(const SparseRow& query, std::size_t k);

 private:
  void merge_labels();

  std::span<const model::LinearMember> members_;
  std::size_t num_labels_;
  heads::BeamScratch beam_;
  std::vector<Prediction> found_;
};

}  // namespace mhe::predict

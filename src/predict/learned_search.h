// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <mhe/model.h>

#include "encoders/batch_encoder.h"
#include "heads/dense_search.h"
#include "matrix/sparse.h"
#include "model/learned_model.h"

namespace mhe::predict {

/// Encodes an input with each member of a model and searches their heads. Holds the scratch space,
/// so one per thread; allocates nothing once it has seen the largest k. The members must outlive
/// it.
class LearnedSearch {
 public:
  LearnedSearch(std::span<const model::LearnedMember> members, std::size_t num_labels);

  /// The k labels of the highest mean score, best first, equal ones by the smaller id; valid until
  /// the next call. `beam` 0: as many candidates as in training.
  [[nodiscard]] std::span<mhe::Prediction> search(const SparseRow& input, std::size_t k,
                                                  std::size_t beam = 0) {
    return search_row(SparseRows{{&input, 1}}, k, beam);
  }
  [[nodiscard]] std::span<mhe::Prediction> search(DenseRow input, std::size_t k,
                                                  std::size_t beam = 0) {
    return search_row(DenseRows{{&input, 1}}, k, beam);
  }

  /// The k sets of the highest mean probability in the last search, best first, equal ones by their
  /// labels. One that a member does not rank among its best counts as 0 there. Throws
  /// kInvalidArgument unless the heads predict sets.
  [[nodiscard]] std::vector<mhe::LabelSet> best_sets(std::size_t k);

  /// Of the first member in the last search, as DenseSearch has them.
  [[nodiscard]] std::span<const std::uint32_t> best_choices() const {
    return parts_[0].head->best_choices();
  }
  [[nodiscard]] double phantom_mass() const { return parts_[0].head->phantom_mass(); }

 private:
  struct Part {
    std::unique_ptr<encoders::BatchEncoder> encoder;
    std::unique_ptr<heads::DenseSearch> head;
  };
  [[nodiscard]] std::span<mhe::Prediction> search_row(const InputBatch& row, std::size_t k,
                                                      std::size_t beam);

  std::vector<Part> parts_;
  std::size_t num_labels_;
  std::vector<mhe::Prediction> found_;
};

}  // namespace mhe::predict

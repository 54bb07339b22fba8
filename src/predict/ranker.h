// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "model/member.h"

namespace mhe::predict {

/// Ranks labels by the mean score of members. Holds the scratch space, so one per thread; allocates
/// nothing once it has seen the largest input. The members must outlive it.
class Ranker {
 public:
  /// Labels from `num_labels` on are never found.
  Ranker(model::MemberSpan members, std::size_t num_labels);

  /// Takes rows as the members do; they must stay as they are until the next call.
  void begin(const InputBatch& rows);
  /// The best labels of one of these rows, best first, equal ones by the smaller id; valid until
  /// the next call. A label that a member does not rank among its best counts as 0 there.
  [[nodiscard]] std::span<ScoredLabel> rank(std::size_t row, const model::SearchDepth& depth);

  /// The k sets of the highest mean probability in the last ranking, best first, equal ones by
  /// their labels. One that a member does not rank among its best counts as 0 there. Throws
  /// kInvalidArgument unless all members predict sets.
  [[nodiscard]] std::vector<LabelSet> best_sets(std::size_t k);
  /// Of the first member in the last ranking, as MemberSearch has them.
  [[nodiscard]] std::span<const std::uint32_t> best_choices() const {
    return searches_.front()->best_choices();
  }
  [[nodiscard]] double phantom_mass() const { return searches_.front()->phantom_mass(); }

 private:
  std::vector<std::unique_ptr<model::MemberSearch>> searches_;
  std::size_t num_labels_;
  std::vector<ScoredLabel> found_;
};

}  // namespace mhe::predict

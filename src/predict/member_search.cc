// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/member_search.h"

#include <algorithm>

namespace mhe::predict {

std::span<Prediction> MemberSearch::search(const SparseRow& query, std::size_t k) {
  k = std::min(k, num_labels_);
  // Members disagree about the end of their lists; looking further makes the mean less of a
  // lottery.
  const std::size_t depth = members_.size() == 1 ? k : 2 * k + 10;
  found_.clear();
  for (const model::LinearMember& member : members_) {
    heads::search_beam(member.levels, query, depth, member.search, beam_);
    for (const heads::ScoredNode& node : beam_.beam) {
      const std::uint32_t label = member.label_at[node.node];
      // A file is mapped, not read, so its labels are looked at when they come up.
      if (label < num_labels_) found_.push_back({LabelId{label}, node.score});
    }
  }
  if (members_.size() > 1) merge_labels();
  std::sort(found_.begin(), found_.end(), [](const Prediction& a, const Prediction& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.label < b.label;
  });
  if (found_.size() > k) found_.resize(k);
  return found_;
}

// One entry a label: the mean of its scores, which are added in ascending order.
void MemberSearch::merge_labels() {
  std::sort(found_.begin(), found_.end(), [](const Prediction& a, const Prediction& b) {
    return a.label != b.label ? a.label < b.label : a.probability < b.probability;
  });
  std::size_t merged = 0;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    if (merged > 0 && found_[merged - 1].label == found_[i].label) {
      found_[merged - 1].probability += found_[i].probability;
    } else {
      found_[merged++] = found_[i];
    }
  }
  found_.resize(merged);
  for (Prediction& label : found_) label.probability /= static_cast<float>(members_.size());
}

}  // namespace mhe::predict

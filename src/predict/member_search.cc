// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/member_search.h"

#include <algorithm>

namespace mhe::predict {

std::span<Prediction> MemberSearch::search(const SparseRow& query, std::size_t k) {
  k = std::min(k, num_labels_);
  const std::size_t depth = this->depth(k);
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
  rank_labels();
  if (found_.size() > k) found_.resize(k);
  return found_;
}

// How many labels of each member to look at for the k best.
std::size_t MemberSearch::depth(std::size_t k) const noexcept {
  // Rare labels come from further down. The same for all small k, so that the list for one of them
  // is the beginning of the list for another.
  constexpr std::size_t kTailDepth = 100;
  if (!tail_.change_nothing()) return std::max(kTailDepth, 5 * k);
  // Members disagree about the end of their lists; looking further makes the mean less of a
  // lottery.
  return members_.size() == 1 ? k : 2 * k + 10;
}

void MemberSearch::rank_labels() {
  const auto rank = [&](const auto& score) {
    std::sort(found_.begin(), found_.end(), [&](const Prediction& a, const Prediction& b) {
      const float score_a = score(a);
      const float score_b = score(b);
      return score_a != score_b ? score_a > score_b : a.label < b.label;
    });
  };
  if (tail_.change_nothing()) {
    rank([](const Prediction& p) { return p.probability; });
  } else {
    rank([&](const Prediction& p) { return p.probability * tail_(p.label); });
  }
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

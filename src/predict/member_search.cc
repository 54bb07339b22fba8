// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/member_search.h"

#include <algorithm>

namespace mhe::predict {

std::span<Prediction> MemberSearch::search(const SparseRow& query, std::size_t k) {
  k = std::min(k, num_labels_);
  found_.clear();
  search_cascades(query, depth(k));
  if (!is_alone()) merge_labels();
  if (neighbours_.weight > 0) add_neighbours(query);
  std::sort(found_.begin(), found_.end(), [](const Prediction& a, const Prediction& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.label < b.label;
  });
  if (found_.size() > k) found_.resize(k);
  return found_;
}

// How many labels of each cascade to look at for the k best of all. Members disagree about the end
// of their lists; looking further makes the mean less of a lottery.
std::size_t MemberSearch::depth(std::size_t k) const noexcept {
  constexpr std::size_t kBesideNeighbours = 50;  // these often know labels that cascades rank low
  if (is_alone()) return k;
  return std::max(2 * k + 10, neighbours_.weight > 0 ? kBesideNeighbours : 0);
}

void MemberSearch::search_cascades(const SparseRow& query, std::size_t depth) {
  for (const model::LinearMember& member : members_) {
    heads::search_beam(member.levels, query, depth, member.search, beam_);
    for (const heads::ScoredNode& node : beam_.beam) {
      const std::uint32_t label = member.label_at[node.node];
      // A file is mapped, not read, so its labels are looked at when they come up.
      if (label < num_labels_) found_.push_back({LabelId{label}, node.score});
    }
  }
}

// Mixes the neighbours in; what was found, and what they find, ascends by label.
void MemberSearch::add_neighbours(const SparseRow& query) {
  heads::search_neighbours(neighbours_.index, query, rows_);
  for (Prediction& label : found_) label.probability *= 1 - neighbours_.weight;
  const std::size_t cascades = found_.size();
  std::size_t next = 0;
  for (const heads::NeighbourLabel& label : rows_.labels) {
    if (label.label >= num_labels_) continue;
    while (next < cascades && index_of(found_[next].label) < label.label) ++next;
    const float score = neighbours_.weight * label.share;
    if (next < cascades && index_of(found_[next].label) == label.label) {
      found_[next].probability += score;
    } else {
      found_.push_back({LabelId{label.label}, score});
    }
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

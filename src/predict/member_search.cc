// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/member_search.h"

#include <algorithm>

namespace mhe::predict {
namespace {

// One entry a label: the mean of its scores, which are added in ascending order.
void merge_labels(std::vector<Prediction>& found, std::size_t num_members) {
  std::sort(found.begin(), found.end(), [](const Prediction& a, const Prediction& b) {
    return a.label != b.label ? a.label < b.label : a.probability < b.probability;
  });
  std::size_t merged = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (merged > 0 && found[merged - 1].label == found[i].label) {
      found[merged - 1].probability += found[i].probability;
    } else {
      found[merged++] = found[i];
    }
  }
  found.resize(merged);
  for (Prediction& label : found) label.probability /= static_cast<float>(num_members);
}

std::span<Prediction> best_of(std::vector<Prediction>& found, std::size_t k) {
  std::sort(found.begin(), found.end(), [](const Prediction& a, const Prediction& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.label < b.label;
  });
  if (found.size() > k) found.resize(k);
  return found;
}

}  // namespace

std::span<Prediction> rank_found(std::vector<Prediction>& found, std::size_t num_members,
                                 std::size_t k) {
  if (num_members > 1) merge_labels(found, num_members);
  return best_of(found, k);
}

// Members disagree about the end of their lists; looking further makes the mean less of a lottery.
std::size_t search_depth(std::size_t num_members, std::size_t k) noexcept {
  return num_members == 1 ? k : 2 * k + 10;
}

std::span<Prediction> MemberSearch::search(const SparseRow& query, std::size_t k,
                                           std::size_t beam) {
  constexpr std::size_t kBesideNeighbours = 50;  // these often know labels that cascades rank low
  k = std::min(k, num_labels_);
  found_.clear();
  if (neighbours_.weight == 0) {
    search_cascades(query, search_depth(members_.size(), k), beam);
    return rank_found(found_, members_.size(), k);
  }
  search_cascades(query, std::max(2 * k + 10, kBesideNeighbours), beam);
  merge_labels(found_, members_.size());
  add_neighbours(query);
  return best_of(found_, k);
}

void MemberSearch::search_cascades(const SparseRow& query, std::size_t depth, std::size_t beam) {
  for (const model::LinearMember& member : members_) {
    heads::BeamOptions options = member.search;
    if (beam > 0) options.beam = beam;
    heads::search_beam(member.levels, query, depth, options, beam_);
    if (&member == members_.data()) best_nodes_.assign(beam_.best.begin(), beam_.best.end());
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
  for (const ScoredLabel& near : rows_.labels) {
    if (index_of(near.label) >= num_labels_) continue;
    while (next < cascades && found_[next].label < near.label) ++next;
    const float score = neighbours_.weight * near.score;
    if (next < cascades && found_[next].label == near.label) {
      found_[next].probability += score;
    } else {
      found_.push_back({near.label, score});
    }
  }
}

}  // namespace mhe::predict

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/ranker.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/mean_scores.h"

namespace mhe::predict {

Ranker::Ranker(model::MemberSpan members, std::size_t num_labels) : num_labels_(num_labels) {
  for (const model::Member* const member : members) {
    searches_.push_back(member->make_search(num_labels));
  }
}

void Ranker::begin(const InputBatch& rows) {
  for (const auto& search : searches_) search->begin(rows);
}

std::span<ScoredLabel> Ranker::rank(std::size_t row, const model::SearchDepth& depth) {
  const std::size_t k = std::min(depth.labels, num_labels_);
  const std::size_t each = model::search_depth(searches_.size(), k);
  found_.clear();
  for (const auto& search : searches_) search->search(row, {each, depth.beam}, found_);
  if (searches_.size() == 1) return found_;
  model::merge_by_label(found_, searches_.size());
  return model::keep_best(found_, k);
}

std::vector<LabelSet> Ranker::best_sets(std::size_t k) {
  std::map<std::vector<LabelId>, float> found;
  for (const auto& search : searches_) {
    for (LabelSet& set : search->best_sets(model::search_depth(searches_.size(), k))) {
      found[std::move(set.labels)] += set.probability / static_cast<float>(searches_.size());
    }
  }
  std::vector<LabelSet> sets;
  sets.reserve(found.size());
  for (const auto& [labels, probability] : found) sets.push_back({labels, probability});
  std::stable_sort(sets.begin(), sets.end(), [](const LabelSet& a, const LabelSet& b) {
    return a.probability > b.probability;
  });
  sets.resize(std::min(k, sets.size()));
  return sets;
}

}  // namespace mhe::predict

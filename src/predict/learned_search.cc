// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/learned_search.h"

#include <algorithm>
#include <map>
#include <utility>

#include "encoders/registry.h"
#include "predict/member_search.h"

namespace mhe::predict {

LearnedSearch::LearnedSearch(std::span<const model::LearnedMember> members, std::size_t num_labels)
    : num_labels_(num_labels) {
  for (const model::LearnedMember& member : members) {
    parts_.push_back({encoders::open_encoder(member.encoder),
                      heads::DenseSearch::make(member.head, member.find_tensor())});
  }
}

std::span<mhe::Prediction> LearnedSearch::search_row(const InputBatch& row, std::size_t k,
                                                     std::size_t beam) {
  k = std::min(k, num_labels_);
  const std::size_t depth = search_depth(parts_.size(), k);
  found_.clear();
  for (Part& part : parts_) {
    for (const auto& [label, score] :
         part.head->search(part.encoder->encode(row)[0], depth, beam)) {
      if (index_of(label) < num_labels_) found_.push_back({label, score});
    }
  }
  return rank_found(found_, parts_.size(), k);
}

std::vector<mhe::LabelSet> LearnedSearch::best_sets(std::size_t k) {
  std::map<std::vector<LabelId>, float> found;
  for (Part& part : parts_) {
    for (heads::FoundSet& set : part.head->best_sets(search_depth(parts_.size(), k))) {
      found[std::move(set.labels)] += set.probability / static_cast<float>(parts_.size());
    }
  }
  std::vector<mhe::LabelSet> sets;
  sets.reserve(found.size());
  for (const auto& [labels, probability] : found) sets.push_back({labels, probability});
  std::stable_sort(sets.begin(), sets.end(), [](const mhe::LabelSet& a, const mhe::LabelSet& b) {
    return a.probability > b.probability;
  });
  sets.resize(std::min(k, sets.size()));
  return sets;
}

}  // namespace mhe::predict

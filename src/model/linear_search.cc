// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/linear_search.h"

#include <algorithm>

#include "model/mean_scores.h"

namespace mhe::model {

void LinearSearch::search(std::size_t row, const SearchDepth& depth,
                          std::vector<ScoredLabel>& found) {
  constexpr std::size_t kBesideNeighbours = 50;  // these often know labels that cascades rank low
  const SparseRow& query = rows_[row];
  const std::size_t k = depth.labels;
  found_.clear();
  if (neighbours_.weight == 0) {
    search_cascades(query, {search_depth(cascades_.size(), k), depth.beam});
    if (cascades_.size() > 1) merge_by_label(found_, cascades_.size());
  } else {
    search_cascades(query, {std::max(2 * k + 10, kBesideNeighbours), depth.beam});
    merge_by_label(found_, cascades_.size());
    add_neighbours(query);
  }
  const std::span<const ScoredLabel> best = keep_best(found_, k);
  found.reserve(found.size() + found_.capacity());  // another row may give as many as were there
  found.insert(found.end(), best.begin(), best.end());
}

void LinearSearch::search_cascades(const SparseRow& query, const SearchDepth& depth) {
  for (const Cascade& cascade : cascades_) {
    heads::BeamOptions options = cascade.search;
    if (depth.beam > 0) options.beam = depth.beam;
    heads::search_beam(cascade.levels, query, depth.labels, options, beam_);
    if (&cascade == cascades_.data()) best_nodes_.assign(beam_.best.begin(), beam_.best.end());
    for (const heads::ScoredNode& node : beam_.beam) {
      const std::uint32_t label = cascade.label_at[node.node];
      // A file is mapped, not read, so its labels are looked at when they come up.
      if (label < num_labels_) found_.push_back({LabelId{label}, node.score});
    }
  }
}

// Mixes the neighbours in; what was found, and what they find, ascends by label.
void LinearSearch::add_neighbours(const SparseRow& query) {
  heads::search_neighbours(neighbours_.index, query, neighbour_rows_);
  for (ScoredLabel& label : found_) label.score *= 1 - neighbours_.weight;
  const std::size_t cascades = found_.size();
  std::size_t next = 0;
  for (const ScoredLabel& near : neighbour_rows_.labels) {
    if (index_of(near.label) >= num_labels_) continue;
    while (next < cascades && found_[next].label < near.label) ++next;
    const float score = neighbours_.weight * near.score;
    if (next < cascades && found_[next].label == near.label) {
      found_[next].score += score;
    } else {
      found_.push_back({near.label, score});
    }
  }
}

}  // namespace mhe::model

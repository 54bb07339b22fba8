// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/mean_scores.h"

#include <algorithm>

namespace mhe::model {

std::size_t search_depth(std::size_t num_searches, std::size_t k) noexcept {
  return num_searches == 1 ? k : 2 * k + 10;
}

void merge_by_label(std::vector<ScoredLabel>& found, std::size_t num_searches) {
  std::sort(found.begin(), found.end(), [](const ScoredLabel& a, const ScoredLabel& b) {
    return a.label != b.label ? a.label < b.label : a.score < b.score;
  });
  std::size_t merged = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (merged > 0 && found[merged - 1].label == found[i].label) {
      found[merged - 1].score += found[i].score;
    } else {
      found[merged++] = found[i];
    }
  }
  found.resize(merged);
  for (ScoredLabel& label : found) label.score /= static_cast<float>(num_searches);
}

std::span<ScoredLabel> keep_best(std::vector<ScoredLabel>& found, std::size_t k) {
  std::sort(found.begin(), found.end(), [](const ScoredLabel& a, const ScoredLabel& b) {
    return a.score != b.score ? a.score > b.score : a.label < b.label;
  });
  if (found.size() > k) found.resize(k);
  return found;
}

}  // namespace mhe::model

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mhe::heads {
namespace {

// Weight of a term that occurs in `count` of the rows.
float weight_of(std::size_t count, std::size_t num_rows) noexcept {
  const float idf = std::log(static_cast<float>(num_rows + 1) / static_cast<float>(count + 1)) + 1;
  return idf * idf;
}

constexpr std::size_t kNoPlace = std::numeric_limits<std::size_t>::max();

// The terms of a row, ascending, each once. `find` gives the place of a feature among those in use,
// or kNoPlace.
template <class Find>
void collect_terms(std::span<const std::uint32_t> stems, const SparseRow& row, const Find& find,
                   std::vector<std::uint32_t>& terms) {
  terms.clear();
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t place = row.values[i] == 0 ? kNoPlace : find(row.columns[i]);
    if (place == kNoPlace) continue;
    terms.push_back(static_cast<std::uint32_t>(place));
    if (stems[place] == kNoStem) continue;
    terms.push_back(static_cast<std::uint32_t>(stems.size() + stems[place]));
  }
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
}

std::size_t find_feature(std::span<const std::uint32_t> features, std::uint32_t feature) noexcept {
  const auto found = std::lower_bound(features.begin(), features.end(), feature);
  if (found == features.end() || *found != feature) return kNoPlace;
  return static_cast<std::size_t>(found - features.begin());
}

std::span<const std::uint32_t> posting(const NeighbourView& index, std::size_t term) noexcept {
  if (term + 1 >= index.posting_begin.size()) return {};
  const std::uint64_t begin = std::min<std::uint64_t>(index.posting_begin[term], index.rows.size());
  const std::uint64_t end =
      std::clamp<std::uint64_t>(index.posting_begin[term + 1], begin, index.rows.size());
  return index.rows.subspan(begin, end - begin);
}

// Adds up what the rows share with the query.
void add_postings(const NeighbourView& index, NeighbourScratch& scratch) {
  const std::size_t num_rows = index.row_scale.size();
  scratch.sums.resize(num_rows, 0.0F);
  for (const std::uint32_t term : scratch.terms) {
    const std::span<const std::uint32_t> rows = posting(index, term);
    const float weight = weight_of(rows.size(), num_rows);
    for (const std::uint32_t row : rows) {
      if (row < num_rows) scratch.sums[row] += weight;
    }
  }
}

// The most similar rows; sums are 0 again.
void collect_rows(const NeighbourView& index, NeighbourScratch& scratch) {
  constexpr float kOfBest = 0.3F;   // less counts under 1 % of the best row
  constexpr float kLargest = 1e6F;  // no sound file comes near; its fourth powers can be added
  scratch.found.clear();
  float best = 0;
  for (const std::uint32_t term : scratch.terms) {
    for (const std::uint32_t row : posting(index, term)) {
      if (row >= scratch.sums.size() || scratch.sums[row] == 0) continue;
      const float similarity = scratch.sums[row] * index.row_scale[row];
      scratch.sums[row] = 0;
      if (!(similarity > kOfBest * best) || similarity > kLargest) continue;
      best = std::max(best, similarity);
      scratch.found.push_back({similarity, row});
    }
  }
  std::erase_if(scratch.found, [&](const auto& row) { return row.similarity <= kOfBest * best; });
  // Relative to the best: the fourth power of anything is then at home in a float.
  for (NeighbourScratch::Row& row : scratch.found) row.similarity /= best;
}

void share_out(const NeighbourView& index, NeighbourScratch& scratch) {
  scratch.labels.clear();
  float all = 0;
  for (const NeighbourScratch::Row& row : scratch.found) {
    const float square = row.similarity * row.similarity;
    all += square * square;
    const std::uint64_t begin =
        std::min<std::uint64_t>(index.label_begin[row.row], index.labels.size());
    const std::uint64_t end = std::clamp<std::uint64_t>(index.label_begin[row.row + std::size_t{1}],
                                                        begin, index.labels.size());
    for (std::uint64_t i = begin; i < end; ++i) {
      scratch.labels.push_back({LabelId{index.labels[i]}, square * square});
    }
  }
  // Equal labels are added in the order of their shares, which does not depend on the sort.
  std::sort(scratch.labels.begin(), scratch.labels.end(),
            [](const ScoredLabel& a, const ScoredLabel& b) {
              return a.label != b.label ? a.label < b.label : a.score < b.score;
            });
  std::size_t merged = 0;
  for (const ScoredLabel& label : scratch.labels) {
    if (merged > 0 && scratch.labels[merged - 1].label == label.label) {
      scratch.labels[merged - 1].score += label.score;
    } else {
      scratch.labels[merged++] = label;
    }
  }
  scratch.labels.resize(merged);
  for (ScoredLabel& label : scratch.labels) label.score = std::min(1.0F, label.score / all);
}

// Counts of the rows that have each term, then where its posting begins; frequent terms have none.
void lay_out(const SparseMatrix& features, std::size_t num_terms, NeighbourIndex& index) {
  constexpr std::size_t kOneIn = 10;
  std::vector<std::size_t> places(features.num_columns, kNoPlace);
  for (std::size_t i = 0; i < index.features.size(); ++i) places[index.features[i]] = i;
  std::vector<std::uint32_t> terms;
  std::vector<std::uint64_t> counts(num_terms, 0);
  const auto for_each_term = [&](auto&& visit) {
    for (std::size_t row = 0; row < features.rows(); ++row) {
      collect_terms(
          index.stems, features[row], [&](std::uint32_t feature) { return places[feature]; },
          terms);
      for (const std::uint32_t term : terms) visit(term, row);
    }
  };
  for_each_term([&](std::size_t term, std::size_t) { ++counts[term]; });
  for (std::uint64_t& count : counts) {
    if (count * kOneIn > features.rows()) count = 0;
  }
  index.posting_begin.resize(num_terms + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), index.posting_begin.begin() + 1);
  index.rows.resize(index.posting_begin.back());
  std::vector<std::uint64_t> next(index.posting_begin.begin(), index.posting_begin.end() - 1);
  std::vector<float> squares(features.rows(), 0.0F);
  for_each_term([&](std::size_t term, std::size_t row) {
    if (counts[term] == 0) return;
    index.rows[next[term]++] = static_cast<std::uint32_t>(row);
    squares[row] += weight_of(counts[term], features.rows());
  });
  index.row_scale.reserve(features.rows());
  for (const float square : squares) {
    index.row_scale.push_back(square > 0 ? 1 / std::sqrt(std::sqrt(square)) : 0.0F);
  }
}

}  // namespace

bool NeighbourView::is_sound() const noexcept {
  return stems.size() == features.size() && posting_begin.size() > features.size() &&
         label_begin.size() == row_scale.size() + 1;
}

NeighbourView NeighbourIndex::view() const noexcept {
  return {features, stems, posting_begin, rows, row_scale, label_begin, labels};
}

NeighbourIndex build_neighbours(const SparseMatrix& features, const Ragged<LabelId>& labels,
                                std::span<const NeighbourFeature> used) {
  NeighbourIndex index;
  std::size_t num_terms = used.size();
  for (const NeighbourFeature& feature : used) {
    index.features.push_back(feature.feature);
    index.stems.push_back(feature.stem);
    if (feature.stem != kNoStem) num_terms = std::max(num_terms, used.size() + feature.stem + 1);
  }
  lay_out(features, num_terms, index);
  index.label_begin = labels.offsets;
  index.labels.reserve(labels.items.size());
  for (const LabelId label : labels.items) {
    index.labels.push_back(static_cast<std::uint32_t>(index_of(label)));
  }
  return index;
}

void search_neighbours(const NeighbourView& index, const SparseRow& query,
                       NeighbourScratch& scratch) {
  collect_terms(
      index.stems, query,
      [&](std::uint32_t feature) { return find_feature(index.features, feature); }, scratch.terms);
  add_postings(index, scratch);
  collect_rows(index, scratch);
  share_out(index, scratch);
}

}  // namespace mhe::heads

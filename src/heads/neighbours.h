// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Training rows as they are, found by the rare features that they share with a query: a label of
// two or three rows is better known by these than by weights trained on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <mhe/ids.h>
#include <mhe/input.h>

namespace mhe::heads {

inline constexpr std::uint32_t kNoStem = std::numeric_limits<std::uint32_t>::max();

/// A feature by which rows are found, and the number of the stem it shares with others.
struct NeighbourFeature {
  std::uint32_t feature = 0;
  std::uint32_t stem = kNoStem;
};

/// An index over rows, as spans: over vectors while training, over a mapped file afterwards. Terms
/// are the features in use, then the stems. Nothing in the arrays is trusted: if they are damaged,
/// results are wrong, but finite.
struct NeighbourView {
  std::span<const std::uint32_t> features;       ///< in use, ascending: terms 0, 1, ...
  std::span<const std::uint32_t> stems;          ///< of each of them; kNoStem: none
  std::span<const std::uint64_t> posting_begin;  ///< [terms + 1]
  std::span<const std::uint32_t> rows;           ///< that have a term, term after term
  std::span<const float> row_scale;              ///< [rows]: 1 / length^(1/2)
  std::span<const std::uint64_t> label_begin;    ///< [rows + 1]
  std::span<const std::uint32_t> labels;         ///< of the rows, row after row

  /// Whether the arrays' sizes go together.
  [[nodiscard]] bool is_sound() const noexcept;
};

struct NeighbourIndex {
  std::vector<std::uint32_t> features;
  std::vector<std::uint32_t> stems;
  std::vector<std::uint64_t> posting_begin = {0};
  std::vector<std::uint32_t> rows;
  std::vector<float> row_scale;
  std::vector<std::uint64_t> label_begin = {0};
  std::vector<std::uint32_t> labels;

  [[nodiscard]] NeighbourView view() const noexcept;
};

/// Indexes the rows by `used`, ascending by feature. Values are not looked at, only whether they
/// are 0. Terms of more than a tenth of the rows tell little and cost most: they are left out.
[[nodiscard]] NeighbourIndex build_neighbours(const SparseMatrix& features,
                                              const Ragged<LabelId>& labels,
                                              std::span<const NeighbourFeature> used);

/// An index that takes part in a model: a label's score is `weight` times its share of the
/// neighbours plus 1 - `weight` times the cascades' score. 0: there is none.
struct NeighbourMember {
  NeighbourView index;
  float weight = 0;
};

/// Memory of a search, kept between calls. One per thread.
struct NeighbourScratch {
  struct Row {
    float similarity = 0;
    std::uint32_t row = 0;
  };
  std::vector<float> sums;  ///< by row; 0 between calls
  std::vector<std::uint32_t> terms;
  std::vector<Row> found;
  std::vector<ScoredLabel> labels;  ///< scores are shares of the neighbours, in (0, 1]
};

/// Leaves the labels of the rows nearest to the query in scratch.labels, ascending by label.
/// A row is as similar as the sum of the squared idf of the terms it shares, over the root of its
/// length (that of the vector of its idf): dividing by the length itself, as the cosine does,
/// favours rows of a word or two. Its labels get the fourth power of that, as a share of what all
/// rows get.
void search_neighbours(const NeighbourView& index, const SparseRow& query,
                       NeighbourScratch& scratch);

}  // namespace mhe::heads

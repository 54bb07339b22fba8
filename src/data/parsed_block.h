// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a parser makes of one block of a file, before the blocks are put in order: rows whose labels
// have no ids yet, and what is wrong with which line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mhe/dataset.h>
#include <mhe/input.h>
#include <mhe/label_space.h>

namespace mhe::data {

struct BadLine {
  std::uint64_t line = 0;  ///< within the block, from 0
  std::string message;
};

/// "Source rows" are all rows of the block, good or bad; `rows` and `labels` hold the good ones.
struct ParsedBlock {
  RowBatch rows;                 ///< without labels
  Ragged<std::uint32_t> labels;  ///< per row, ascending, each once: indices into names, or the ids
                                 ///< themselves where the file numbers its labels
  LabelNames names;              ///< of this block only
  std::uint64_t first_line = 0;  ///< of the block in the file, from 1; 0 if it has no lines
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
  std::uint64_t source_rows = 0;
  std::uint64_t blank_tail = 0;        ///< how many source rows at the end are empty lines
  std::vector<std::uint64_t> dropped;  ///< the bad source rows, ascending, within the block
  std::vector<BadLine> bad;
  std::uint64_t duplicate_features = 0;
  std::uint64_t duplicate_labels = 0;
  std::vector<std::pair<std::uint32_t, float>> sort_scratch;

  /// Empty, for `num_text_fields` text fields; keeps the memory.
  void clear(std::size_t num_text_fields);

  /// The number of good rows.
  [[nodiscard]] std::size_t good_rows() const noexcept {
    return static_cast<std::size_t>(source_rows) - dropped.size();
  }

  /// Adds a label by its name to the row being built.
  void add_label(std::string_view name) {
    labels.items.push_back(static_cast<std::uint32_t>(index_of(names.intern(name))));
  }
  /// Ends the label row: sorts it and removes what occurs twice.
  void end_label_row();
  /// Ends the feature row: sorts it if it is not sorted and adds up what occurs twice. Throws
  /// LineError if a sum is not finite.
  void end_feature_row();

  /// Removes good rows, given by their positions in ascending order, as if they had never been.
  void remove_rows(const std::vector<std::size_t>& positions);
  /// Keeps the first `count` source rows.
  void keep_source_rows(std::uint64_t count);
};

/// Takes back a row that turned out bad: remembers sizes at construction, restores them in
/// rewind().
class RowMark {
 public:
  explicit RowMark(const ParsedBlock& block);
  void rewind(ParsedBlock& block) const;

 private:
  std::size_t labels_, label_items_, features_, feature_items_, ids_, id_items_, dense_;
  std::uint64_t duplicate_features_, duplicate_labels_;
};

}  // namespace mhe::data

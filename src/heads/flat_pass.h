// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A batch against many rows of one table: all of them, or the groups that sampling chose. Rows are
// dealt with in blocks that stay in cache from their scores to their update.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mhe/context.h>

#include "heads/level_work.h"
#include "heads/row_table.h"
#include "matrix/view.h"

namespace mhe::heads {

struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Scores that count more or less than they are: those of an example against the rows of a group.
struct GroupShift {
  std::span<const Positive> groups;  ///< `row` is the number of a group; by group, each pair once
  std::size_t group_size = 0;        ///< rows of a group
  float shift = 0;                   ///< is added
};

/// Holds the scratch space of a step; one for each table. All results are the same for any number
/// of threads: the rows are cut into parts that depend on their number only, and what the parts
/// give is added in their order.
class FlatPass {
 public:
  /// Bytes a step holds beside the table and the scores that are kept.
  [[nodiscard]] static std::size_t work_bytes(std::size_t num_ranges, std::size_t rows_per_range,
                                              std::size_t dim, std::size_t batch);
  /// What score() keeps.
  [[nodiscard]] static std::size_t score_bytes(std::size_t num_ranges, std::size_t rows_per_range,
                                               std::size_t dim, std::size_t batch);

  /// Begins a step. The ranges ascend, do not overlap and are not empty.
  void select(std::span<const RowRange> ranges, std::size_t dim);

  /// Scores of all selected rows, kept for backward().
  void score(const Context& context, const RowTable& table, const MatrixView& features,
             const GroupShift& shift = {});
  /// [selected row][example]
  [[nodiscard]] const std::vector<float>& scores() const noexcept { return scores_; }

  /// Does the work and returns the loss. Without score() before, scores are made block by block
  /// and never kept; kSoftmax needs score().
  double backward(const Context& context, RowTable& table, const LevelWork& work);

 private:
  struct RowBlock {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t offset = 0;  // selected rows before it
    [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  };
  struct Scratch {
    std::vector<float> scores;
    std::vector<float> row_gradients;
    std::vector<float> bias_gradients;
  };

  void turn_features(const Context& context, const MatrixView& features);
  void score_block(const RowTable& table, const RowBlock& block, float* scores) const;
  void shift_block(const GroupShift& shift, const RowBlock& block, float* scores) const;
  void normalize(const Context& context, std::size_t batch);
  double gradient_of_block(const LevelWork& work, const RowBlock& block, float* scores) const;
  void update_block(RowTable& table, const LevelWork& work, const RowBlock& block,
                    const float* gradients, Scratch& scratch) const;
  void run_part(RowTable& table, const LevelWork& work, std::size_t part, Scratch& scratch);

  std::vector<RowBlock> blocks_;
  std::size_t num_rows_ = 0;  // selected
  bool has_scores_ = false;
  std::vector<float> turned_;  // features as [dim][example]
  std::size_t batch_ = 0;
  std::vector<float> scores_;
  std::vector<float> block_max_;  // [block][example]
  std::vector<float> block_sum_;
  std::vector<float> log_sums_;  // [example]: log of the sum of exponentials
  std::vector<float> scales_;    // [example]: of the softmax's gradient
  std::vector<double> block_loss_;
  std::vector<float> part_gradients_;  // [part][example][dim]
  std::vector<Scratch> scratch_;       // [worker]
};

}  // namespace mhe::heads

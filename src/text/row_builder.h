// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/context.h>
#include <mhe/input.h>

#include "text/choose.h"
#include "text/make_room.h"
#include "text/options.h"

namespace mhe::text {

/// The formulas from counts to weights.
class Weighting {
 public:
  Weighting() = default;
  explicit Weighting(const TextOptions& options);

  /// What a term that occurs `count` times in a document weighs before its idf; count >= 1.
  [[nodiscard]] float tf(std::uint64_t count) const noexcept {
    return count < tf_.size() ? tf_[count] : compute_tf(count);
  }
  /// The idf of a term in `df` of `num_documents` documents: ln((1 + n) / (1 + df)) + 1.
  [[nodiscard]] float idf(std::uint64_t df, std::uint64_t num_documents) const noexcept;

  [[nodiscard]] bool l2_norm() const noexcept { return l2_norm_; }
  [[nodiscard]] std::span<const double> part_weights() const noexcept { return part_weights_; }

 private:
  [[nodiscard]] float compute_tf(std::uint64_t count) const noexcept;

  bool sublinear_tf_ = true;
  bool binary_ = false;
  bool idf_ = true;
  bool l2_norm_ = true;
  std::vector<double> part_weights_;
  std::vector<float> tf_;  // of small counts: a logarithm a term would cost more than finding it
};

/// Rows of features, valid until their RowBuilder is used again.
struct BuiltRows {
  std::span<const std::uint32_t> columns;  ///< of all rows, end to end; ascending within a row
  std::span<const float> values;
  std::span<const std::uint32_t> row_ends;

  [[nodiscard]] std::size_t size_of(std::size_t row) const noexcept {
    return row_ends[row] - (row == 0 ? 0 : row_ends[row - 1]);
  }
};

/// Collects the features of some documents, in any order, and makes the rows of them. Many rows are
/// sorted together, which is several times faster than one by one. One for each thread; stops
/// allocating once the longest documents have been seen.
class RowBuilder {
 public:
  RowBuilder() : recent_(kRecent, 0) {}

  /// Begins rows over `num_features` columns.
  void start(std::uint64_t num_features);
  /// How many rows can be made at once: 2 to 32.
  [[nodiscard]] std::size_t max_rows() const noexcept { return max_rows_; }

  /// Begins the next row, of at most `max_adds` additions.
  void start_row(std::size_t max_adds) { make_room(items_, num_items_ + max_adds + 1); }
  void end_row() {
    row_ends_.push_back(static_cast<std::uint32_t>(num_items_));
    row_base_ += row_step_;
  }

  /// Counts a feature. Whether it came before is hard to predict, so nothing here branches on it. A
  /// repeat that is missed, because another feature took its place in recent_, is merged at the
  /// end.
  void count(std::uint32_t feature) noexcept {
    std::uint32_t& recent = recent_[feature % kRecent];
    const std::uint64_t key = row_base_ | feature;
    const bool repeats = (recent < num_items_) & (items_[recent] >> 32 == key);
    const std::size_t place = choose(repeats, recent, num_items_);
    items_[place] = choose(repeats, items_[recent], key << 32) + 1;
    recent = static_cast<std::uint32_t>(place);
    num_items_ += 1 - static_cast<std::size_t>(repeats);
  }
  /// Adds the value of a feature that the row does not have yet, if `keep`.
  void add_if(bool keep, std::uint32_t feature, float value) noexcept {
    items_[num_items_] = (row_base_ | feature) << 32 | std::bit_cast<std::uint32_t>(value);
    num_items_ += static_cast<std::size_t>(keep);
  }

  /// The rows of what was counted. The columns of part i are [part_offsets[i], part_offsets[i +
  /// 1]), and `idf` has a value for each column.
  [[nodiscard]] BuiltRows finish_counts(const Weighting& weighting,
                                        std::span<const std::uint64_t> part_offsets,
                                        std::span<const float> idf);
  /// Writes the rows of the values that were added to `columns` and `values`, end to end.
  void finish_values(const Weighting& weighting, std::span<const std::uint64_t> part_offsets,
                     std::span<std::uint32_t> columns, std::span<float> values);

 private:
  template <class Put>
  void sort(const Put& put);
  template <class Put>
  void sort_digit(std::uint32_t shift, std::uint32_t bits, const Put& put);
  void scale_all(const Weighting& weighting, std::span<const std::uint64_t> part_offsets,
                 std::span<const std::uint32_t> columns, std::span<float> values) const;

  static constexpr std::size_t kRecent = 2048;  // 8 KiB, so that it stays in L1

  // row << (32 + feature_bits_) | feature << 32 | count or bits of the value; longer than what is
  // used
  std::vector<std::uint64_t> items_;
  std::vector<std::uint64_t> sorted_;
  std::size_t num_items_ = 0;
  std::uint32_t feature_bits_ = 0;
  std::size_t max_rows_ = 0;
  std::uint64_t row_step_ = 0;           // 1 << feature_bits_
  std::uint64_t row_base_ = 0;           // the row that is being made, times row_step_
  std::vector<std::uint32_t> row_ends_;  // in items_; in columns_ at the end
  std::vector<std::uint32_t> recent_;    // where in items_ a feature may be
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
};

/// Room for the columns and values of all rows, whose offsets are there already.
void make_nonzeros(const Context& context, SparseMatrix& matrix);

}  // namespace mhe::text

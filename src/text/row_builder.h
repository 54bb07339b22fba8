// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "matrix/sparse.h"
#include "text/choose.h"
#include "text/make_room.h"
#include "text/options.h"

namespace mhe::text {

/// The formulas from counts to weights.
class Weighting {
 public:
  Weighting() = default;
  explicit Weighting(const VectorizerOptions& options);

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

/// Collects the features of one document, in any order and with repetitions, and makes the row of
/// them. One for each thread; stops allocating once the longest document has been seen.
class RowBuilder {
 public:
  RowBuilder() : recent_(kRecent, 0) {}

  /// Begins a document for which add() will be called at most `max_adds` times.
  void start(std::size_t max_adds) {
    make_room(items_, max_adds + 1);
    num_items_ = 0;
  }
  /// Whether the feature came before is hard to predict, so nothing here branches on it. A repeat
  /// that is missed, because another feature took its place in recent_, is merged at the end.
  void add(std::uint32_t feature, std::uint32_t count) noexcept {
    std::uint32_t& recent = recent_[feature % kRecent];
    const std::uint64_t fresh = static_cast<std::uint64_t>(feature) << 32;
    const bool repeats = (recent < num_items_) & (items_[recent] >> 32 == feature);
    const std::size_t place = choose(repeats, recent, num_items_);
    items_[place] = choose(repeats, items_[recent], fresh) + count;
    recent = static_cast<std::uint32_t>(place);
    num_items_ += 1 - static_cast<std::size_t>(repeats);
  }

  /// The weighted row; valid until the next call. The columns of part i are
  /// [part_offsets[i], part_offsets[i + 1]), and `idf` has a value for each column.
  SparseRow finish(const Weighting& weighting, std::span<const std::uint64_t> part_offsets,
                   std::span<const float> idf);

 private:
  void sort(std::uint64_t num_features);
  void sort_digit(std::uint32_t shift, std::uint32_t bits);
  void merge(const Weighting& weighting, std::span<const float> idf);
  void scale(const Weighting& weighting, std::span<const std::uint64_t> part_offsets);

  static constexpr std::size_t kRecent = 2048;  // 8 KiB, so that it stays in L1

  std::vector<std::uint64_t> items_;  // feature << 32 | count; longer than what is used
  std::vector<std::uint64_t> sorted_;
  std::size_t num_items_ = 0;
  std::vector<std::uint32_t> recent_;  // where in items_ a feature may be
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
  std::size_t size_ = 0;  // used of columns_ and values_
};

}  // namespace mhe::text

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which label gets which digits. A label's id says when it was first seen; its position says where
// it stands in the label space, and heads work on positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <mhe/context.h>
#include <mhe/ids.h>
#include <mhe/label_space.h>

#include "matrix/sparse.h"

namespace mhe::labels {

/// Where the positions without a label go when the lengths cover more than there are.
enum class Placement {
  kSpread,   ///< evenly, so that groups stay balanced
  kCompact,  ///< to the end: labels take positions 0 .. C-1, as LabelSpace(C, lengths) and
             ///< KBestDecoder expect
};

/// A one-to-one map from labels 0 .. C-1 to positions below n_1 * ... * n_H. Immutable. About 12
/// bytes a label.
class Order {
 public:
  /// `positions[label]`; lengths as for LabelSpace, with a product below 2^64. Throws
  /// kInvalidArgument if a position is out of range or given twice.
  Order(std::vector<std::uint32_t> lengths, std::vector<std::uint64_t> positions);

  [[nodiscard]] std::size_t num_labels() const noexcept { return positions_.size(); }
  /// All positions, with or without a label.
  [[nodiscard]] const LabelSpace& space() const noexcept { return space_; }
  /// [label]
  [[nodiscard]] std::span<const std::uint64_t> positions() const noexcept { return positions_; }
  /// All labels, by ascending position.
  [[nodiscard]] std::span<const LabelId> labels() const noexcept { return labels_; }

  /// Throws kInvalidArgument if there is no such label.
  [[nodiscard]] std::uint64_t position(LabelId label) const;
  /// The label at a position, or none. O(log C). Throws kInvalidArgument if it is out of range.
  [[nodiscard]] std::optional<LabelId> label_at(std::uint64_t position) const;
  /// Digits of the label's position.
  void digits(LabelId label, std::span<std::uint32_t> out) const;

  friend bool operator==(const Order&, const Order&) = default;

 private:
  LabelSpace space_;
  std::vector<std::uint64_t> positions_;
  std::vector<LabelId> labels_;
};

/// The positions that hold labels, decided before any label is placed: `before(p)` of them lie
/// below position p.
class Slots {
 public:
  /// Throws kInvalidArgument unless the lengths cover the labels and their product fits 64 bits.
  Slots(std::size_t num_labels, std::span<const std::uint32_t> lengths, Placement placement);

  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t before(std::uint64_t position) const noexcept;
  /// The position of the slot with this number.
  [[nodiscard]] std::uint64_t position(std::size_t slot) const noexcept;

 private:
  std::uint64_t num_labels_;
  std::uint64_t capacity_;
  Placement placement_;
};

/// Position = id.
[[nodiscard]] Order identity_order(std::size_t num_labels, std::vector<std::uint32_t> lengths);

/// A random permutation of the slots.
[[nodiscard]] Order random_order(std::size_t num_labels, std::vector<std::uint32_t> lengths,
                                 std::uint64_t seed, Placement placement = Placement::kSpread);

/// Gives the groups of every level about the same number of examples: labels are dealt out from
/// the most frequent on, each to the lightest group with room, and so again within groups.
/// `counts[label]` are examples. O(H C log n).
[[nodiscard]] Order frequency_order(std::span<const std::uint64_t> counts,
                                    std::vector<std::uint32_t> lengths,
                                    Placement placement = Placement::kSpread);

struct ClusterOptions {
  std::int32_t max_iterations = 8;  ///< of 2-means a split; a split rarely changes after
  Placement placement = Placement::kSpread;
};

/// Puts similar labels into the same groups: from the first digit on, groups are halved again and
/// again by balanced 2-means on the cosine of label centroids until each is one digit. Labels that
/// differ in the last digit only stand by id.
///
/// `centroids` has a row a label, of unit length (see label_centroids()); empty rows are allowed.
/// Uses the Context's seed and threads; the result does not depend on the number of threads. Work
/// memory: at most 16 bytes a feature for each thread and 40 bytes a label.
[[nodiscard]] Order clustered_order(const Context& context, const SparseMatrix& centroids,
                                    std::vector<std::uint32_t> lengths,
                                    const ClusterOptions& options = {});

}  // namespace mhe::labels

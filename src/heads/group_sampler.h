// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which groups of labels sampling heads (MHS) score in a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "heads/flat_pass.h"
#include "heads/group_pass.h"
#include "heads/level_work.h"

namespace mhe::heads {

/// Rows in groups of consecutive ones, the last maybe short. An example's own groups, those of its
/// positives, are always chosen, another one with some chance q only. To count all others, those
/// that were chosen weigh 1 / q: the softmax then is, in the mean, the one over all labels. Against
/// them its own count q, and log q is what their scores are shifted by.
class GroupSampler {
 public:
  GroupSampler(std::size_t num_rows, std::size_t group_size)
      : num_rows_(num_rows), group_size_(group_size) {}

  [[nodiscard]] std::size_t group_size() const noexcept { return group_size_; }
  [[nodiscard]] std::size_t num_groups() const noexcept {
    return (num_rows_ + group_size_ - 1) / group_size_;
  }

  /// The groups of a batch's positives and `extra` others, for all its examples, as ranges of rows.
  void choose_for_batch(std::span<const Positive> positives, std::size_t extra, RandomStream random,
                        std::vector<RowRange>& ranges);
  /// The shift of own groups after choose_for_batch(); valid until the next call.
  [[nodiscard]] GroupShift own_shift(std::span<const Positive> positives);

  enum class Weigh : std::uint8_t { kYes, kNo };
  /// MHS-S, Eq. 13: for each of `batch` examples its own groups and `others` others, drawn for it
  /// alone.
  void choose_for_examples(std::span<const Positive> positives, std::size_t batch,
                           std::size_t others, RandomStream random, Weigh weigh,
                           std::vector<Pair>& pairs);

 private:
  void find_own_groups(std::span<const Positive> positives);

  std::size_t num_rows_;
  std::size_t group_size_;
  std::size_t num_chosen_ = 0;        // for the batch
  std::vector<Positive> own_groups_;  // `row` is a group; by group, then by example
};

}  // namespace mhe::heads

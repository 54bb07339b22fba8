// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What orders of labels are made with; the orders themselves are public (mhe/label_space.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <mhe/label_space.h>

namespace mhe::labels {

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

}  // namespace mhe::labels

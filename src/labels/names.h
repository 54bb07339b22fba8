// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/ids.h>

#include "matrix/ragged.h"

namespace mhe::labels {

/// The names of labels: a dictionary between strings and ids that only grows, so ids are stable.
///
/// Formats that number their labels start with numbered(C): label i is called "i" and costs no
/// memory. A name that is not such a number gets the next free id, as every name does otherwise, in
/// order of first appearance. To find labels never seen in training, remember size() after reading
/// the training data: later ids are unseen.
class LabelNames {
 public:
  LabelNames() = default;

  /// Labels 0 .. count-1, called by their numbers.
  [[nodiscard]] static LabelNames numbered(std::size_t count);

  [[nodiscard]] std::size_t size() const noexcept { return num_numbered_ + strings_.rows(); }

  /// How many labels, from 0, are called by their numbers.
  [[nodiscard]] std::size_t num_numbered() const noexcept { return num_numbered_; }

  /// Whether extend_numbered(count) would succeed.
  [[nodiscard]] bool can_extend_numbered(std::size_t count) const noexcept {
    return count <= num_numbered_ || strings_.rows() == 0;
  }

  /// Makes labels 0 .. count-1 numbered if there are no labels yet or all so far are numbered;
  /// otherwise throws kInvalidData. Never takes labels away.
  void extend_numbered(std::size_t count);

  /// The id of `name`, new if need be. Throws kResourceLimit past 2^32 - 2 labels.
  LabelId intern(std::string_view name);

  [[nodiscard]] std::optional<LabelId> find(std::string_view name) const;

  /// The name of a label. Throws kInvalidArgument if there is no such label.
  [[nodiscard]] std::string name(LabelId id) const;

 private:
  [[nodiscard]] std::optional<LabelId> find_numbered(std::string_view name) const;
  [[nodiscard]] std::size_t slot_of(std::string_view name) const;  // its slot or a free one
  void grow();

  std::size_t num_numbered_ = 0;
  Strings strings_;                   // names of ids num_numbered_ and up
  std::vector<std::uint32_t> slots_;  // open addressing: index into strings_ + 1, or 0 if free
};

}  // namespace mhe::labels

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mhe/ids.h>

#include "heads/dense_search.h"
#include "heads/product_targets.h"

namespace mhe::model {

/// What each head has to choose for a label: a digit of each product head, a node of each level of
/// a cascade. Immutable.
class HeadTargets {
 public:
  /// None for heads that choose neither: one-hot and sampling. Labels from `num_labels` on are not
  /// known. Throws kInvalidData if the arrays of the head are not as they should be.
  [[nodiscard]] static std::optional<HeadTargets> of(const heads::HeadSpec& spec,
                                                     const heads::FindTensor& find,
                                                     std::size_t num_labels);
  /// Of a cascade with these lengths; `label_at` by position, anything from `num_labels` on is no
  /// label; empty: labels stand at their ids.
  HeadTargets(std::span<const std::uint32_t> lengths, std::span<const std::uint32_t> label_at,
              std::size_t num_labels);

  [[nodiscard]] std::size_t num_heads() const noexcept { return lengths_.size(); }
  /// Digits or nodes that each head chooses from.
  [[nodiscard]] std::vector<std::uint64_t> choices() const;
  [[nodiscard]] bool are_digits() const noexcept { return product_.has_value(); }
  /// Whether a digit is a set of labels, so that rows without labels have digits, too.
  [[nodiscard]] bool are_sets() const noexcept { return product_ && product_->are_sets(); }

  /// Sets right[head] where `chosen` is what one of a row's labels asks for, or all of them of
  /// sets, else 0. False, and nothing set, if the model knows none of the labels; of sets never.
  [[nodiscard]] bool compare(std::span<const LabelId> labels, std::span<const std::uint32_t> chosen,
                             std::span<std::uint8_t> right) const;

 private:
  HeadTargets(std::vector<std::uint32_t> lengths, std::size_t num_labels)
      : lengths_(std::move(lengths)), num_labels_(num_labels) {}
  void place_labels(std::span<const std::uint32_t> label_at);
  void append(std::span<const LabelId> labels, std::vector<std::uint32_t>& wanted) const;

  std::vector<std::uint32_t> lengths_;
  std::size_t num_labels_;
  std::optional<heads::ProductTargets> product_;
  std::vector<std::uint32_t> position_of_;  // [label] of a cascade; none if position = id
};

}  // namespace mhe::model

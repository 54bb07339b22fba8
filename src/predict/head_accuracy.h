// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/head_targets.h"

namespace mhe::predict {

/// How often each head is right by itself: the best digit of a product head, the best node of a
/// level of a cascade. Also what product heads give to combinations that are no label.
class HeadAccuracy {
 public:
  explicit HeadAccuracy(model::HeadTargets targets)
      : targets_(std::move(targets)), right_(targets_.num_heads()) {}

  [[nodiscard]] const model::HeadTargets& targets() const noexcept { return targets_; }

  /// Adds a row of these labels and what the heads chose for it.
  void add(std::span<const LabelId> truth, std::span<const std::uint32_t> chosen,
           double phantom_mass = 0);

  /// [head]: the share of rows for which it chose the digit of one of their labels, or one of them
  /// or an ancestor of one, of the rows with labels that the model knows.
  [[nodiscard]] std::vector<double> shares() const;
  /// Mean probability of what is no label, over all rows; of product heads.
  [[nodiscard]] std::optional<double> phantom_mass() const;

 private:
  model::HeadTargets targets_;
  std::vector<std::uint64_t> right_;  // [head]
  std::vector<std::uint8_t> row_right_;
  std::uint64_t labeled_rows_ = 0;
  std::uint64_t rows_ = 0;
  double phantom_mass_ = 0;
};

}  // namespace mhe::predict

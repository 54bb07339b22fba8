// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <mhe/input.h>

#include "model/model.h"
#include "predict/head_targets.h"

namespace mhe::predict {

/// How often each head is right by itself: the best digit of a product head, the best node of a
/// level of a cascade. Also what product heads give to combinations that are no label.
class HeadAccuracy {
 public:
  explicit HeadAccuracy(HeadTargets targets)
      : targets_(std::move(targets)), right_(targets_.num_heads()) {}
  /// Of the first member of a model; none for heads that choose nothing on the way to a label.
  [[nodiscard]] static std::optional<HeadAccuracy> make(const model::Model& model);

  [[nodiscard]] const HeadTargets& targets() const noexcept { return targets_; }

  /// Begins with rows of these labels, which must stay until end().
  void begin(const Ragged<LabelId>& truth);
  /// What the heads chose for a row; for different rows from any threads.
  void see(std::size_t row, std::span<const std::uint32_t> chosen, double phantom_mass = 0);
  /// Adds the rows up.
  void end();

  /// [head]: the share of rows for which it chose the digit of one of their labels, or one of them
  /// or an ancestor of one, of the rows with labels that the model knows.
  [[nodiscard]] std::vector<double> shares() const;
  /// Mean probability of what is no label, over all rows; of product heads.
  [[nodiscard]] std::optional<double> phantom_mass() const;

 private:
  HeadTargets targets_;
  std::vector<std::uint64_t> right_;  // [head]
  std::uint64_t labeled_rows_ = 0;
  std::uint64_t rows_ = 0;
  double phantom_mass_ = 0;

  // Of the rows at hand.
  const Ragged<LabelId>* truth_ = nullptr;
  std::vector<std::uint8_t> row_right_;  // [row][head]
  std::vector<std::uint8_t> is_labeled_;
  std::vector<double> row_phantom_mass_;
};

}  // namespace mhe::predict

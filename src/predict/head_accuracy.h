// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heads/dense_search.h"
#include "heads/product_targets.h"
#include "matrix/ragged.h"
#include "model/model.h"

namespace mhe::predict {

/// How often the best digit of each product head is right by itself, and what the heads give to
/// combinations that are no label: of the first member of a model.
class HeadAccuracy {
 public:
  /// None for models without product heads.
  [[nodiscard]] static std::optional<HeadAccuracy> make(const model::Model& model);

  /// Begins with rows of these labels.
  void begin(const Ragged<LabelId>& truth);
  /// What a head found for a row; for different rows from any threads.
  void see(std::size_t row, const heads::DenseSearch& head);
  /// Adds the rows up.
  void end();

  /// [head]: the share of rows whose best digit is that of one of their labels, of the rows with
  /// labels that the model knows.
  [[nodiscard]] std::vector<double> shares() const;
  /// Mean probability of what is no label, over all rows.
  [[nodiscard]] double phantom_mass() const;

 private:
  HeadAccuracy(heads::ProductTargets targets, std::size_t num_heads, std::size_t num_labels)
      : targets_(std::move(targets)), num_labels_(num_labels), right_(num_heads) {}

  heads::ProductTargets targets_;
  std::size_t num_labels_;
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

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Trainings on a sample of the rows, validation by others of them: what a setting is worth, in a
// fraction of a second.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <mhe/context.h>

#include "train/label_order.h"
#include "train/linear_rules.h"
#include "train/training_set.h"

namespace mhe::train {

inline constexpr std::size_t kMostValidationRows = 2000;  ///< rows; more tell little and cost time
inline constexpr std::size_t kFewestRows = 200;  ///< of a sample; fewer would choose by chance
inline constexpr double kValidationShare = 0.2;

/// Validation rows of trials on all of the data.
[[nodiscard]] std::size_t count_trial_validation(std::size_t rows) noexcept;

using Gains = std::vector<double>;  ///< nDCG@5 of each row that validation

/// How well a model with these options, which are complete, ranks validation rows.
[[nodiscard]] Gains try_options(const Context& context, const Examples& training,
                                const Examples& validation, const OrderedLabels& labels,
                                TrainOptions options, std::size_t solvers = 0);

class QuickTrials {
 public:
  static constexpr std::size_t kSample = 400'000;  ///< nonzeros of the rows that are looked at

  /// `what` is said while trials run; validation rows take turns until there are
  /// `enough_validation`. All that is given must live as long.
  QuickTrials(const Context& context, const Examples& examples, const OrderedLabels& labels,
              std::string what, std::size_t enough_validation = kMostValidationRows);

  /// Rows of the sample.
  [[nodiscard]] static std::size_t sample_rows(const Examples& examples);
  /// Whether there are so many that they do not choose by chance.
  [[nodiscard]] bool are_enough() const noexcept { return rows_ >= kFewestRows; }
  /// Of the same rows for each call; options are complete. Where there are few rows, others take
  /// turns.
  [[nodiscard]] Gains gains_with(const TrainOptions& options);

 private:
  const Context& context_;
  const Examples& examples_;
  OrderedLabels labels_;
  std::string what_;
  std::size_t rows_;
  std::size_t num_validation_;
  std::size_t rounds_;
  std::size_t trials_ = 0;
};

}  // namespace mhe::train

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Settings found by trying: models are trained with some of them and validation by rows they have
// not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <mhe/context.h>

#include "train/label_order.h"
#include "train/linear_rules.h"
#include "train/training_set.h"

namespace mhe::train {

/// Whether searching for a loss weight costs little beside the training, or is likely to gain much:
/// of little data, or of fewer features than rows.
[[nodiscard]] bool should_choose_loss_weight(const SparseMatrix& features) noexcept;

/// Memory of that search beside the data: the rows it samples.
[[nodiscard]] std::uint64_t loss_weight_search_bytes(const SparseMatrix& features) noexcept;

/// The loss weight that gives the best rankings, found on a sample of the rows in a second or so.
[[nodiscard]] float choose_loss_weight(const Context& context, const Examples& examples,
                                       const OrderedLabels& labels, const TrainOptions& options);

/// The options with all that the data resolve, a loss weight found on a sample among it.
[[nodiscard]] TrainOptions resolve_with_trials(const Context& context, const TrainOptions& given,
                                               const Examples& examples,
                                               const OrderedLabels& labels);

/// Rows to try settings on: read anew for each setting of the text.
struct TrialRows {
  TrainingSet set;  ///< names of labels are among the rows, where they are trained on
  Examples validation;
  std::size_t rows_with_held_out = 0;
  std::string feature_weights;  ///< that were chosen
};
using ReadTrialRows = std::function<TrialRows(const TextRule& rule)>;

struct Tuned {
  TrainOptions options;
  TextRule text_rule;
  std::vector<Trial> trials;  ///< the first is that of the options as given
};

/// Tries other settings one after the other for about so many seconds and keeps each that ranks
/// validation rows better; options that a user named stay. Which ones were tried depends on the
/// machine's speed; a training with what was found does not.
[[nodiscard]] Tuned tune(const Context& context, const TrainOptions& options,
                         const TextRule& text_rule, const ReadTrialRows& read, double seconds);

}  // namespace mhe::train

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of linear members that the data resolve where a user left them open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mhe/train.h>

#include "heads/train_cascade.h"
#include "train/training_set.h"

namespace mhe::train {

/// Throws kInvalidArgument, saying which option is wrong.
void validate_linear(const TrainOptions& options);

/// The length of the last head: as given, or by rule.
[[nodiscard]] std::size_t leaf_of(const TrainOptions& options, std::size_t num_labels);

/// Lengths by rule: last heads of `leaf`, and as few heads as keep the first ones short.
[[nodiscard]] std::vector<std::uint32_t> default_lengths(std::size_t num_labels, std::size_t leaf);

/// Lengths of a cascade of an ensemble. These differ in their seeds and, where lengths come by
/// rule, in their shapes.
[[nodiscard]] std::vector<std::uint32_t> member_lengths(const TrainOptions& options,
                                                        std::size_t num_labels, std::size_t member);

/// Whether training is so short and its model so small that neither need be spared.
[[nodiscard]] bool is_little(const SparseMatrix& features) noexcept;

/// Prune threshold by rule: the more features a row has, the more small weights count, and the less
/// data there is, the less there is to save.
[[nodiscard]] float default_prune(std::size_t nonzeros, std::size_t rows, float strength);

/// The options with what the training data resolve; a loss weight left open is 1.
[[nodiscard]] TrainOptions resolve_linear(TrainOptions options, const SparseMatrix& features,
                                          std::size_t num_labels);

/// What the cascades of resolved options are trained with.
[[nodiscard]] heads::CascadeOptions cascade_options(const TrainOptions& options);

}  // namespace mhe::train

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of members trained by gradients that the data resolve where a user left them open.
#pragma once

#include <cstddef>
#include <cstdint>

#include <mhe/ids.h>
#include <mhe/input.h>
#include <mhe/train.h>

#include "encoders/encoder_options.h"
#include "heads/head_spec.h"
#include "matrix/layer_optimizer.h"
#include "matrix/table_optimizer.h"
#include "train/schedule.h"

namespace mhe::train {

/// Throws kInvalidArgument, saying which option is wrong.
void validate_gradient(const TrainOptions& options);

/// The most labels that a row has.
[[nodiscard]] std::size_t most_labels(const Ragged<LabelId>& labels) noexcept;

/// The loss that the options name, or that of rows of so many labels at most.
[[nodiscard]] heads::Loss choose_loss(const TrainOptions& options, std::size_t labels_per_row);

/// The options with what encoder, head and data resolve: how tables move and how fast, dropout, the
/// order of the labels, epochs for the number of rows, init for rows of so many labels at most.
/// docs/decisions/0009 says why.
[[nodiscard]] TrainOptions resolve_gradient(TrainOptions options, std::size_t num_rows,
                                            std::size_t num_labels, std::size_t labels_per_row = 1);

/// How the rows of tables move, and dense layers.
[[nodiscard]] TableOptimizer table_optimizer(const TrainOptions& options);
[[nodiscard]] LayerOptimizer layer_optimizer(const TrainOptions& options);

/// The options of the encoder's own layers.
[[nodiscard]] encoders::EncoderOptions network_of(const TrainOptions& options);

/// The learning rates over a training of so many steps.
[[nodiscard]] Schedule make_schedule(const TrainOptions& options, std::uint64_t steps);

}  // namespace mhe::train

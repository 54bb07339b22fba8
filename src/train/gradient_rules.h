// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of members trained by gradients that the data resolve where a user left them open.
#pragma once

#include <cstddef>
#include <cstdint>

#include <mhe/train.h>

#include "encoders/encoder_options.h"
#include "matrix/layer_optimizer.h"
#include "matrix/table_optimizer.h"
#include "train/schedule.h"

namespace mhe::train {

/// Throws kInvalidArgument, saying which option is wrong.
void validate_gradient(const TrainOptions& options);

/// The options with what encoder, head and data resolve: how tables move and how fast, dropout, the
/// order of the labels, epochs for the number of rows. docs/decisions/0009 says why.
[[nodiscard]] TrainOptions resolve_gradient(TrainOptions options, std::size_t num_rows,
                                            std::size_t num_labels);

/// How the rows of tables move, and dense layers.
[[nodiscard]] TableOptimizer table_optimizer(const TrainOptions& options);
[[nodiscard]] LayerOptimizer layer_optimizer(const TrainOptions& options);

/// The options of the encoder's own layers.
[[nodiscard]] encoders::EncoderOptions network_of(const TrainOptions& options);

/// The learning rates over a training of so many steps.
[[nodiscard]] Schedule make_schedule(const TrainOptions& options, std::uint64_t steps);

}  // namespace mhe::train

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/context.h"
#include "data/reader.h"
#include "matrix/ragged.h"
#include "predict/predictor.h"

namespace mhe::predict {

/// Reads text the way the model was trained: its text columns, in its order, unless the options
/// name columns themselves.
void adapt_to_model(const model::LinearModel& model, data::ReadOptions& options);

/// Throws kInvalidData if the rows are not of the kind the model takes.
void check_input(const model::LinearModel& model, const data::RowBatch& batch);

/// The k best labels of every row, found on all threads. Throws kInvalidData if the rows are not of
/// the kind the model takes.
[[nodiscard]] Ragged<Prediction> predict_batch(const Context& context,
                                               const model::LinearModel& model,
                                               const data::RowBatch& batch, std::size_t k);

}  // namespace mhe::predict

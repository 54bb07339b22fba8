// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include <mhe/context.h>
#include <mhe/input.h>

#include "data/reader.h"
#include "predict/predictor.h"

namespace mhe::predict {

/// Reads text the way the model was trained: its text columns, in its order, unless the options
/// name columns themselves. Lines that are of no other format are texts.
void adapt_to_model(const model::Model& model, data::ReadOptions& options);

/// Throws kInvalidData, saying what was expected and what `name` holds, unless the model can take
/// such rows: vectors of its kind, or as many text fields as it has, or plain lines.
void check_schema(const model::Model& model, const data::Schema& schema, std::string_view name);

/// The same for a batch at hand.
void check_input(const model::Model& model, const data::RowBatch& batch);

/// Called after each row, on the thread that predicted it.
using SeeRow = std::function<void(std::size_t row, Predictor& predictor)>;

/// The k best labels of every row, found on all threads. A single text is taken for each field of a
/// model that has several. Throws kInvalidData if the rows are not of the kind the model takes, and
/// what Predictor does.
[[nodiscard]] Ragged<Prediction> predict_batch(const Context& context, const model::Model& model,
                                               const data::RowBatch& batch, std::size_t k,
                                               const SessionOptions& options = {},
                                               const SeeRow& see_row = {});

}  // namespace mhe::predict

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/batch.h"

#include <memory>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"

namespace mhe::predict {

void check_input(const model::LinearModel& model, const data::RowBatch& batch) {
  const text::Vectorizer* vectorizer = model.vectorizer();
  const std::size_t expected = vectorizer == nullptr ? 0 : vectorizer->options().fields.size();
  if (expected == 0 && batch.features.rows() != batch.rows) {
    fail(ErrorCode::kInvalidData, "the model takes sparse vectors; this is something else");
  }
  if (batch.text.size() != expected) {
    fail(ErrorCode::kInvalidData, "the model takes {} text fields; this data has {}", expected,
         batch.text.size());
  }
}

void adapt_to_model(const model::LinearModel& model, data::ReadOptions& options) {
  if (model.vectorizer() == nullptr || !options.text_columns.empty()) return;
  const auto& fields = model.vectorizer()->options().fields;
  if (fields.size() < 2) return;  // one text is one text, whatever its column is called
  for (const text::FieldOptions& field : fields) options.text_columns.push_back(field.name);
}

Ragged<Prediction> predict_batch(const Context& context, const model::LinearModel& model,
                                 const data::RowBatch& batch, std::size_t k) {
  if (batch.rows > 0) check_input(model, batch);
  constexpr std::size_t kGrain = 64;  // rows a block: some milliseconds
  std::vector<Ragged<Prediction>> parts((batch.rows + kGrain - 1) / kGrain);
  std::vector<std::unique_ptr<Predictor>> predictors(context.threads());
  parallel_blocks(context, batch.rows, kGrain, [&](const Block& block) {
    auto& predictor = predictors[block.worker];
    if (!predictor) predictor = std::make_unique<Predictor>(model);
    std::vector<std::string_view> fields(batch.text.size());
    for (std::size_t row = block.begin; row < block.end; ++row) {
      for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = string_at(batch.text[i], row);
      parts[block.index].push_row(fields.empty() ? predictor->predict(batch.features[row], k)
                                                 : predictor->predict(fields, k));
    }
  });
  Ragged<Prediction> all;
  for (const auto& part : parts) all.append(part);
  return all;
}

}  // namespace mhe::predict

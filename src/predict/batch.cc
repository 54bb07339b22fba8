// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/batch.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

#include "base/check.h"
#include "base/parallel.h"

namespace mhe::predict {
namespace {

std::vector<std::string> field_names(const model::Model& model) {
  std::vector<std::string> names;
  if (model.vectorizer() == nullptr) return names;
  const std::vector<text::FieldOptions>& fields = model.vectorizer()->options().fields;
  names.reserve(fields.size());
  for (const text::FieldOptions& field : fields) names.push_back(field.name);
  return names;
}

std::span<const Prediction> predict_row(Predictor& predictor, const data::RowBatch& batch,
                                        std::size_t row, std::span<std::string_view> fields,
                                        std::size_t k) {
  if (batch.dense.rows() > 0) return predictor.predict(batch.dense[row], k);
  if (fields.empty()) return predictor.predict(batch.features[row], k);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i] = string_at(batch.text[std::min(i, batch.text.size() - 1)], row);
  }
  return predictor.predict(fields, k);
}

}  // namespace

void check_input(const model::Model& model, const data::RowBatch& batch) {
  const std::size_t expected = field_names(model).size();
  const InputKind kind = model.input_kind();
  const bool missing = (kind == InputKind::kSparse && batch.features.rows() != batch.rows) ||
                       (kind == InputKind::kDense && batch.dense.rows() != batch.rows);
  if (missing) {
    fail(ErrorCode::kInvalidData, "the model takes {}; this is something else", kind_name(kind));
  }
  if (kind == InputKind::kDense && batch.dense.num_columns != model.num_features()) {
    fail(ErrorCode::kInvalidData, "vectors of {} numbers; the model takes {}",
         batch.dense.num_columns, model.num_features());
  }
  if (batch.text.size() != expected && (batch.text.size() != 1 || expected == 0)) {
    fail(ErrorCode::kInvalidData, "the model takes {} text fields; this data has {}", expected,
         batch.text.size());
  }
}

void adapt_to_model(const model::Model& model, data::ReadOptions& options) {
  options.expected_text = field_names(model);
}

void check_schema(const model::Model& model, const data::Schema& schema, std::string_view name) {
  const std::vector<std::string> expected = field_names(model);
  const InputKind kind = model.input_kind();
  if (schema.kind != kind) {
    fail(ErrorCode::kInvalidData, "{} holds {} ({}), but the model was trained on {}{}", name,
         kind_name(schema.kind), data::format_name(schema.format), kind_name(kind),
         expected.empty() ? "" : "; if its lines are plain texts, say --format text");
  }
  const bool plain_lines =
      schema.format == data::Format::kTextLines || schema.format == data::Format::kFastText;
  if (!plain_lines && schema.text_fields.size() != expected.size()) {
    fail(ErrorCode::kInvalidData,
         "{} has {} text fields ({}), but the model was trained on {} ({}); choose with --text",
         name, schema.text_fields.size(), fmt::join(schema.text_fields, ", "), expected.size(),
         fmt::join(expected, ", "));
  }
}

Ragged<Prediction> predict_batch(const Context& context, const model::Model& model,
                                 const data::RowBatch& batch, std::size_t k,
                                 const SessionOptions& options, const SeeRow& see_row) {
  if (batch.rows > 0) check_input(model, batch);
  // Rows a block: some milliseconds, or less where few rows are to be shared by all threads.
  const std::size_t grain = std::clamp<std::size_t>(batch.rows / (4 * context.threads()), 1, 64);
  std::vector<Ragged<Prediction>> parts((batch.rows + grain - 1) / grain);
  std::vector<std::unique_ptr<Predictor>> predictors(context.threads());
  parallel_blocks(context, batch.rows, grain, [&](const Block& block) {
    auto& predictor = predictors[block.worker];
    if (!predictor) predictor = std::make_unique<Predictor>(model, options);
    std::vector<std::string_view> fields(field_names(model).size());
    for (std::size_t row = block.begin; row < block.end; ++row) {
      parts[block.index].push_row(predict_row(*predictor, batch, row, fields, k));
      if (see_row) see_row(row, *predictor);
    }
  });
  Ragged<Prediction> all;
  for (const auto& part : parts) all.append(part);
  return all;
}

}  // namespace mhe::predict

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/model_rows.h"

#include <utility>

#include <fmt/ranges.h>

#include "flags/usage_error.h"

namespace mhe::app {
namespace {

std::unique_ptr<Reader> open_for(const Context& context, ReadOptions options,
                                 std::vector<std::string> fields, LabelNames& names) {
  options.expected_text = std::move(fields);
  return open_reader(context, options, names);
}

}  // namespace

ModelRows::ModelRows(const Context& context, const Model& model, ReadOptions options,
                     LabelNames& names)
    : model_(model),
      name_(options.path == "-" ? "standard input" : options.path),
      fields_(model.text_fields()),
      reader_(open_for(context, std::move(options), fields_, names)) {
  check_schema();
}

void ModelRows::check_schema() const {
  const Schema& schema = reader_->schema();
  const InputKind kind = model_.input_kind();
  if (schema.kind != kind) {
    throw_error(ErrorCode::kInvalidData, "{} holds {} ({}), but the model was trained on {}{}",
                name_, kind_name(schema.kind), format_name(schema.format), kind_name(kind),
                fields_.empty() ? "" : "; if its lines are plain texts, say --format text");
  }
  const bool plain_lines =
      schema.format == Format::kTextLines || schema.format == Format::kFastText;
  if (!plain_lines && schema.text_fields.size() != fields_.size()) {
    throw_error(
        ErrorCode::kInvalidData,
        "{} has {} text fields ({}), but the model was trained on {} ({}); choose with --text",
        name_, schema.text_fields.size(), fmt::join(schema.text_fields, ", "), fields_.size(),
        fmt::join(fields_, ", "));
  }
}

// What the schema cannot know.
void ModelRows::check_batch() const {
  if (batch_.rows == 0) return;
  const InputKind kind = model_.input_kind();
  if (kind == InputKind::kDense && batch_.dense.num_columns != model_.num_features()) {
    throw_error(ErrorCode::kInvalidData, "{}: vectors of {} numbers; the model takes {}", name_,
                batch_.dense.num_columns, model_.num_features());
  }
  if (batch_.text.size() != fields_.size() && (batch_.text.size() != 1 || fields_.empty())) {
    throw_error(ErrorCode::kInvalidData, "{}: the model takes {} text fields; this data has {}",
                name_, fields_.size(), batch_.text.size());
  }
}

bool ModelRows::next() {
  const bool is_more = reader_->next(batch_);
  check_batch();
  rows_ = views_.of(batch_, fields_.size());
  return is_more;
}

}  // namespace mhe::app

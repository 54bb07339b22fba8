// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/model_rows.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "base/check.h"

namespace mhe::app {
namespace {

std::unique_ptr<data::Reader> open_for(const Context& context, data::ReadOptions options,
                                       std::vector<std::string> fields, labels::LabelNames& names) {
  options.expected_text = std::move(fields);
  return data::open_reader(context, options, names);
}

}  // namespace

ModelRows::ModelRows(const Context& context, const Model& model, data::ReadOptions options,
                     labels::LabelNames& names)
    : model_(model),
      name_(options.path == "-" ? "standard input" : options.path),
      fields_(model.text_fields()),
      reader_(open_for(context, std::move(options), fields_, names)) {
  check_schema();
}

void ModelRows::check_schema() const {
  const data::Schema& schema = reader_->schema();
  const InputKind kind = model_.input_kind();
  if (schema.kind != kind) {
    fail(ErrorCode::kInvalidData, "{} holds {} ({}), but the model was trained on {}{}", name_,
         kind_name(schema.kind), data::format_name(schema.format), kind_name(kind),
         fields_.empty() ? "" : "; if its lines are plain texts, say --format text");
  }
  const bool plain_lines =
      schema.format == data::Format::kTextLines || schema.format == data::Format::kFastText;
  if (!plain_lines && schema.text_fields.size() != fields_.size()) {
    fail(ErrorCode::kInvalidData,
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
    fail(ErrorCode::kInvalidData, "{}: vectors of {} numbers; the model takes {}", name_,
         batch_.dense.num_columns, model_.num_features());
  }
  if (batch_.text.size() != fields_.size() && (batch_.text.size() != 1 || fields_.empty())) {
    fail(ErrorCode::kInvalidData, "{}: the model takes {} text fields; this data has {}", name_,
         fields_.size(), batch_.text.size());
  }
}

bool ModelRows::next() {
  const bool is_more = reader_->next(batch_);
  check_batch();
  sparse_.clear();
  dense_.clear();
  texts_.clear();
  const InputKind kind = model_.input_kind();
  for (std::size_t row = 0; row < batch_.rows; ++row) {
    if (kind == InputKind::kDense) {
      dense_.push_back(batch_.dense[row]);
    } else if (kind == InputKind::kSparse) {
      sparse_.push_back(batch_.features[row]);
    } else {
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        texts_.push_back(string_at(batch_.text[std::min(i, batch_.text.size() - 1)], row));
      }
    }
  }
  return is_more;
}

InputBatch ModelRows::rows() const noexcept {
  switch (model_.input_kind()) {
    case InputKind::kSparse:
      return SparseRows{sparse_};
    case InputKind::kDense:
      return DenseRows{dense_};
    case InputKind::kText:
      break;
  }
  return TextRows{texts_, fields_.size()};
}

}  // namespace mhe::app

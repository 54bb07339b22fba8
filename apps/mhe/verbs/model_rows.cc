// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "verbs/model_rows.h"

#include <utility>

#include <fmt/ranges.h>

#include "flags/scoring_flags.h"
#include "flags/usage_error.h"

namespace mhe::app {
namespace {

std::string quoted_list(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i <= kMost; ++i) {
    if (i > 0) text += ", ";
    text += i == kMost ? "..." : in_quotes(names[i]);
  }
  return text;
}

// What the options leave open is as in the training data.
std::unique_ptr<Reader> open_for(const Context& context, ReadOptions options, const Model& model,
                                 LabelNames& names) {
  const ReadOptions trained = model.read_options(options.path);
  options.expected_text = trained.expected_text;
  options.expected = trained.expected;
  return open_reader(context, options, names);
}

// Such as " (csv: title, body)"; nothing where that is not known.
std::string trained_on(const DataLayout& layout) {
  if (layout.format == Format::kAuto) return {};
  std::string text = fmt::format(" ({}", format_name(layout.format));
  if (!layout.text_columns.empty()) {
    text += fmt::format(": {}", fmt::join(layout.text_columns, ", "));
  }
  return text + ")";
}

}  // namespace

ModelRows::ModelRows(const Context& context, const Model& model, ReadOptions options,
                     LabelNames& names)
    : model_(model),
      name_(options.path == "-" ? "standard input" : options.path),
      fields_(model.text_fields()),
      reader_(open_for(context, std::move(options), model, names)) {
  check_schema();
}

void ModelRows::check_schema() const {
  const Schema& schema = reader_->schema();
  const InputKind kind = model_.input_kind();
  if (schema.kind != kind) {
    throw_error(ErrorCode::kInvalidData, "{} holds {} ({}), but the model was trained on {}{}{}",
                name_, kind_name(schema.kind), format_name(schema.format), kind_name(kind),
                trained_on(model_.read_options({}).expected),
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

void ModelRows::require_labels() const {
  const Schema& schema = reader_->schema();
  const DataLayout expected = model_.read_options({}).expected;
  if (!schema.has_labels && !schema.columns.empty() && !expected.label_column.empty()) {
    throw_error(
        ErrorCode::kInvalidData,
        "{}: expected labels in a column called {}, as in the training data, found {}; name "
        "another with --labels",
        name_, in_quotes(expected.label_column), quoted_list(schema.columns));
  }
  app::require_labels(schema, name_);
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

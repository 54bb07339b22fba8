// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/training_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "input/input.h"
#include "text/builder.h"
#include "train/name_rows.h"

namespace mhe {
namespace {

using Impl = TrainingRowsAccess::Impl;

void check_texts(const Impl& impl, std::span<const std::string_view> texts) {
  require(!impl.field_names.empty(), "a text among rows of vectors");
  require(texts.size() == impl.field_names.size(), "a row of {} texts; the fields are {}",
          texts.size(), impl.field_names.size());
}

void check_dense(const Impl& impl, std::span<const float> vector) {
  require(impl.dense.num_columns > 0, "a dense vector among rows of another kind");
  require(vector.size() == impl.dense.num_columns, "a vector of {} numbers; rows have {}",
          vector.size(), impl.dense.num_columns);
  for (const float value : vector) require(std::isfinite(value), "a value that is not finite");
}

void check_vector(const Impl& impl, const SparseRow& input) {
  require(impl.field_names.empty(), "a vector among rows of texts");
  require(impl.dense.num_columns == 0, "a sparse vector among rows of dense ones");
  input::check(input);
  if (input.columns.empty()) return;
  const std::uint32_t last = input.columns.back();
  require(last < std::numeric_limits<std::uint32_t>::max(), "feature {} is too high", last);
  require(impl.most_features == 0 || last < impl.most_features,
          "feature {} is out of range; there are {}", last, impl.most_features);
}

void check_label_kind(const Impl& impl, bool numbered) {
  require(impl.are_numbered.value_or(numbered) == numbered, "a row of {} after rows of {}",
          numbered ? "label ids" : "label names", numbered ? "label names" : "label ids");
}

void append_texts(Impl& impl, std::span<const std::string_view> texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    impl.texts[i].push_row({texts[i].data(), texts[i].size()});
  }
}

void append_vector(Impl& impl, const SparseRow& input) {
  SparseMatrix& to = impl.features;
  to.columns.insert(to.columns.end(), input.columns.begin(), input.columns.end());
  to.values.insert(to.values.end(), input.values.begin(), input.values.end());
  to.end_row();
  if (input.columns.empty()) return;
  to.num_columns = std::max<std::size_t>(to.num_columns, input.columns.back() + std::size_t{1});
}

// The labels of a new row ascending, each once: what they are learnt from counts rows.
void end_labels(Impl& impl) {
  auto& items = impl.labels.items;
  const auto begin = items.begin() + static_cast<std::ptrdiff_t>(impl.labels.offsets.back());
  std::sort(begin, items.end());
  items.erase(std::unique(begin, items.end()), items.end());
  impl.labels.end_row();
}

void append_labels(Impl& impl, std::span<const std::string_view> labels) {
  for (const std::string_view name : labels) impl.labels.items.push_back(impl.names.intern(name));
  if (!labels.empty()) impl.are_numbered = false;
  end_labels(impl);
}

void append_labels(Impl& impl, std::span<const LabelId> labels) {
  for (const LabelId label : labels) {
    impl.names.extend_numbered(index_of(label) + 1);
    impl.labels.items.push_back(label);
  }
  if (!labels.empty()) impl.are_numbered = true;
  end_labels(impl);
}

// Ids beyond what a dictionary holds, before anything of the row is kept.
void check_ids(std::span<const LabelId> labels) {
  constexpr std::size_t kMostLabels = std::numeric_limits<std::uint32_t>::max() - 1;
  for (const LabelId label : labels) {
    require(index_of(label) < kMostLabels, "label {} is out of range; ids are below {}",
            index_of(label), kMostLabels);
  }
}

}  // namespace

TrainingRows::TrainingRows(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
TrainingRows::~TrainingRows() = default;
TrainingRows::TrainingRows(TrainingRows&& other) noexcept = default;
TrainingRows& TrainingRows::operator=(TrainingRows&& other) noexcept = default;

TrainingRows TrainingRows::of_texts(std::vector<std::string> fields) {
  require(!fields.empty(), "rows of texts need at least one field");
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    require(std::find(fields.begin(), field, *field) == field, "two fields are called \"{}\"",
            *field);
  }
  auto impl = std::make_unique<Impl>();
  impl->texts.resize(fields.size());
  impl->field_names = std::move(fields);
  return TrainingRows(std::move(impl));
}

TrainingRows TrainingRows::of_vectors(std::size_t num_features) {
  auto impl = std::make_unique<Impl>();
  impl->most_features = impl->features.num_columns = num_features;
  return TrainingRows(std::move(impl));
}

TrainingRows TrainingRows::of_dense_vectors(std::size_t width) {
  require(width > 0, "vectors of no numbers");
  auto impl = std::make_unique<Impl>();
  impl->dense.num_columns = width;
  return TrainingRows(std::move(impl));
}

void TrainingRows::add(std::span<const float> vector, std::span<const std::string_view> labels) {
  check_dense(*impl_, vector);
  if (!labels.empty()) check_label_kind(*impl_, false);
  impl_->dense.values.insert(impl_->dense.values.end(), vector.begin(), vector.end());
  append_labels(*impl_, labels);
}

void TrainingRows::add(std::span<const float> vector, std::span<const LabelId> labels) {
  check_dense(*impl_, vector);
  check_ids(labels);
  if (!labels.empty()) check_label_kind(*impl_, true);
  impl_->dense.values.insert(impl_->dense.values.end(), vector.begin(), vector.end());
  append_labels(*impl_, labels);
}

void TrainingRows::add(std::span<const std::string_view> texts,
                       std::span<const std::string_view> labels) {
  check_texts(*impl_, texts);
  if (!labels.empty()) check_label_kind(*impl_, false);
  append_texts(*impl_, texts);
  append_labels(*impl_, labels);
}

void TrainingRows::add(std::span<const std::string_view> texts, std::span<const LabelId> labels) {
  check_texts(*impl_, texts);
  check_ids(labels);
  if (!labels.empty()) check_label_kind(*impl_, true);
  append_texts(*impl_, texts);
  append_labels(*impl_, labels);
}

void TrainingRows::add(std::string_view text, std::initializer_list<std::string_view> labels) {
  add(std::span(&text, 1), std::span<const std::string_view>(labels.begin(), labels.size()));
}

void TrainingRows::add(const SparseRow& input, std::span<const std::string_view> labels) {
  check_vector(*impl_, input);
  if (!labels.empty()) check_label_kind(*impl_, false);
  append_vector(*impl_, input);
  append_labels(*impl_, labels);
}

void TrainingRows::add(const SparseRow& input, std::span<const LabelId> labels) {
  check_vector(*impl_, input);
  check_ids(labels);
  if (!labels.empty()) check_label_kind(*impl_, true);
  append_vector(*impl_, input);
  append_labels(*impl_, labels);
}

std::size_t TrainingRows::size() const noexcept {
  return impl_->labels.rows();
}

namespace train {

TrainingSet make_training_set(const Context& context, const TrainingRows& rows,
                              text::VectorizerOptions text, std::string_view label_text) {
  const TrainingRowsAccess::Impl& from = TrainingRowsAccess::impl(rows);
  TrainingSet set;
  set.names = from.names;
  set.examples.labels = from.labels;
  check_learnable(set, "the rows given");
  if (from.field_names.empty()) {
    set.examples.features = from.features;
    set.examples.dense = from.dense;
  } else {
    choose_text_options(sample_text(from.field_names, from.texts), text);
    text::VectorizerBuilder builder(context, text, text::KeepDocuments::kYes);
    builder.add(text::Documents(from.texts));
    const bool with_names =
        should_learn_names(context, label_text, {from.texts, from.labels}, from.names, text);
    finish_text(builder, with_names, set);
  }
  normalize_rows(set.examples.features);
  check_features(set, "the rows given");
  return set;
}

Examples make_more(const Context& context, const TrainingRows& rows, const TrainingSet& set) {
  const TrainingRowsAccess::Impl& from = TrainingRowsAccess::impl(rows);
  const std::size_t num_fields = set.vectorizer ? set.vectorizer->options().fields.size() : 0;
  require(from.field_names.size() == num_fields,
          "validation rows of {} text fields; the training rows have {}", from.field_names.size(),
          num_fields);
  Examples examples;
  examples.features = set.vectorizer
                          ? set.vectorizer->transform(context, text::Documents(from.texts))
                          : from.features;
  normalize_rows(examples.features);
  apply_weights(set.feature_weights.view(), examples.features);
  require(from.dense.num_columns == set.examples.dense.num_columns,
          "validation rows of {} numbers; the training rows have {}", from.dense.num_columns,
          set.examples.dense.num_columns);
  examples.dense = from.dense;
  labels::LabelNames names = set.names;
  std::vector<LabelId> renumbered(from.names.size());
  for (std::uint32_t label = 0; label < renumbered.size(); ++label) {
    renumbered[label] = names.intern(from.names.name(LabelId{label}));
  }
  for (std::size_t row = 0; row < from.labels.rows(); ++row) {
    for (const LabelId label : from.labels[row]) {
      examples.labels.items.push_back(renumbered[index_of(label)]);
    }
    examples.labels.end_row();
  }
  check_judges(examples, "the validation rows");
  return examples;
}

}  // namespace train
}  // namespace mhe

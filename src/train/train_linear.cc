// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/train_linear.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "labels/centroids.h"
#include "labels/names.h"
#include "labels/order.h"
#include "matrix/normalize.h"
#include "model/linear_model.h"
#include "text/builder.h"

namespace mhe::train {
namespace {

// Everything that is learnt from, in memory.
struct TrainingSet {
  SparseMatrix features;  // rows of length 1
  Ragged<LabelId> labels;
  labels::LabelNames names;
  std::optional<text::Vectorizer> vectorizer;
};

// The first of several text columns is most often a title: short, and worth more than the rest.
std::vector<text::FieldOptions> default_fields(const std::vector<std::string>& names) {
  std::vector<text::FieldOptions> fields;
  for (const std::string& name : names) {
    text::FieldOptions field;
    field.name = name;
    if (names.size() > 1 && fields.empty()) {
      field.own = true;
      field.weight = 2.0;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

text::VectorizerOptions vectorizer_options(const LinearOptions& options,
                                           const std::vector<std::string>& names) {
  text::VectorizerOptions result;
  result.fields = options.fields.empty() ? default_fields(names) : options.fields;
  result.min_df = 2;  // a word of one document tells nothing about others
  return result;
}

void normalize_rows(SparseMatrix& matrix) {
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    const std::size_t begin = matrix.offsets[row];
    normalize_l2(std::span(matrix.values).subspan(begin, matrix.offsets[row + 1] - begin));
  }
}

TrainingSet read_training_set(const Context& context, const data::ReadOptions& input,
                              const LinearOptions& options) {
  TrainingSet set;
  const auto reader = data::open_reader(context, input, set.names);
  const data::Schema& schema = reader->schema();
  if (schema.kind == data::InputKind::kDense) {
    fail(ErrorCode::kInvalidData, "{}: dense vectors; the linear encoder takes text or sparse ones",
         input.path);
  }
  std::optional<text::VectorizerBuilder> builder;
  if (schema.kind == data::InputKind::kText) {
    builder.emplace(context, vectorizer_options(options, schema.text_fields),
                    text::KeepDocuments::kYes);
  }
  data::RowBatch batch;
  while (reader->next(batch)) {
    set.labels.append(batch.labels);
    if (builder) {
      builder->add(text::Documents(batch.text));
    } else {
      set.features.append(batch.features);
    }
  }
  if (builder) {
    text::Fitted fitted = builder->finish();
    set.features = std::move(fitted.features);
    set.vectorizer = std::move(fitted.vectorizer);
  }
  normalize_rows(set.features);
  if (set.labels.rows() == 0)
    fail(ErrorCode::kInvalidData, "{}: no rows to learn from", input.path);
  if (set.names.size() < 2) {
    fail(ErrorCode::kInvalidData, "{}: {} labels; learning needs at least 2", input.path,
         set.names.size());
  }
  return set;
}

std::vector<std::uint32_t> count_labels(const Ragged<LabelId>& labels, std::size_t num_labels) {
  std::vector<std::uint32_t> counts(num_labels, 0);
  for (const LabelId label : labels.items) ++counts[index_of(label)];
  return counts;
}

model::TrainedMember train_member(const Context& context, const TrainingSet& set,
                                  const LinearOptions& options) {
  labels::Order order = labels::clustered_order(
      context,
      labels::label_centroids(context, set.features, set.labels, {.num_labels = set.names.size()}),
      options.lengths);
  std::vector<heads::SparseLevel> levels = heads::train_cascade(
      context, {set.features, set.labels, order.positions()}, options.lengths, options.cascade);
  return {std::move(order),
          std::move(levels),
          {.beam = options.beam, .parent_power = options.parent_power}};
}

std::string describe(LinearOptions options) {
  nlohmann::ordered_json json;
  options.visit([&](const char* name, auto& value, const char*) { json[name] = value; });
  return json.dump();
}

}  // namespace

std::vector<std::uint32_t> default_lengths(std::size_t num_labels) {
  constexpr std::size_t kLeaf = 40;    // children the solver serves in one pass
  constexpr std::size_t kFirst = 256;  // a longer first head costs more than another level
  const std::size_t groups = std::max<std::size_t>(1, (num_labels + kLeaf - 1) / kLeaf);
  std::size_t heads_above = 1;
  while (std::pow(kFirst, heads_above) < static_cast<double>(groups)) ++heads_above;
  const double length =
      std::pow(static_cast<double>(groups), 1.0 / static_cast<double>(heads_above));
  std::vector<std::uint32_t> lengths(heads_above, static_cast<std::uint32_t>(std::ceil(length)));
  lengths.push_back(static_cast<std::uint32_t>(std::min(kLeaf, num_labels)));
  return lengths;
}

LinearReport train_linear(const Context& context, const data::ReadOptions& input,
                          const LinearOptions& options, const std::string& path) {
  const TrainingSet set = read_training_set(context, input, options);
  LinearOptions chosen = options;
  if (chosen.lengths.empty()) chosen.lengths = default_lengths(set.names.size());
  std::vector<model::TrainedMember> members;
  members.push_back(train_member(context, set, chosen));
  const std::vector<std::uint32_t> counts = count_labels(set.labels, set.names.size());
  model::write_linear(path, {.names = set.names,
                             .members = members,
                             .num_features = set.features.num_columns,
                             .vectorizer = set.vectorizer ? &*set.vectorizer : nullptr,
                             .training_rows = set.labels.rows(),
                             .label_counts = counts,
                             .options_json = describe(chosen)});
  return {set.labels.rows(), set.names.size(), set.features.num_columns, chosen.lengths};
}

}  // namespace mhe::train

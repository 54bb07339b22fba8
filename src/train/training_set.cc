// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/training_set.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <mhe/context.h>

#include "base/check.h"
#include "train/linear_plan.h"
#include "train/name_rows.h"

namespace mhe::train {
namespace {

void refuse_dense(const Schema& schema, const std::string& path) {
  if (schema.kind == InputKind::kDense) {
    fail(ErrorCode::kInvalidData,
         "{}: dense vectors; the linear encoder takes text or sparse ones, --encoder dense these",
         path);
  }
}

InputKind kind_of(const TrainingSet& set) {
  if (set.vectorizer) return InputKind::kText;
  return set.examples.are_dense() ? InputKind::kDense : InputKind::kSparse;
}

// A label, and how many rows have it.
struct LabelCount {
  std::size_t count = 0;
  LabelId label = {};

  // The rarer first, of equally rare ones that of the larger id.
  friend bool operator<(const LabelCount& a, const LabelCount& b) {
    return a.count != b.count ? a.count < b.count : a.label > b.label;
  }
};

// Takes memory for labels that occur, not for all there are, of which there may be very many.
std::vector<LabelCount> count_occurring(const Ragged<LabelId>& labels) {
  std::vector<LabelId> occurring = labels.items;
  std::sort(occurring.begin(), occurring.end());
  std::vector<LabelCount> counts;
  for (const LabelId label : occurring) {
    if (counts.empty() || counts.back().label != label) counts.push_back({0, label});
    ++counts.back().count;
  }
  return counts;
}

// The labels that a rule leaves, ascending.
std::vector<LabelId> frequent_labels(const Ragged<LabelId>& labels, const TrimRule& rule) {
  std::vector<LabelCount> counts = count_occurring(labels);
  const auto share =
      static_cast<std::size_t>(rule.per_cent * static_cast<double>(counts.size()) / 100);
  const std::size_t gone = std::min(counts.size(), std::max(rule.rarest, share));
  std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(gone),
                   counts.end());
  std::vector<LabelId> kept;
  for (const LabelCount& label : std::span(counts).subspan(gone)) {
    if (label.count >= rule.min_count) kept.push_back(label.label);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

// The number of a label among those that are kept, if it is.
std::optional<LabelId> renumbered(std::span<const LabelId> kept, LabelId label) {
  const auto at = std::lower_bound(kept.begin(), kept.end(), label);
  if (at == kept.end() || *at != label) return {};
  return LabelId{static_cast<std::uint32_t>(at - kept.begin())};
}

// The rows of labels that are kept, with their new numbers.
Examples renumber_name_rows(Examples rows, std::span<const LabelId> kept_labels) {
  Examples kept;
  kept.features.num_columns = rows.features.num_columns;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    LabelId& label = rows.labels.items[row];
    const std::optional<LabelId> number = renumbered(kept_labels, label);
    if (!number) continue;
    label = *number;
    push_row(rows, row, kept);
  }
  return kept;
}

// Bytes that appending the batch takes at most at once: a vector that is full moves to a new place
// while the old one is still there.
std::uint64_t growth_of(const Examples& examples, const RowBatch& batch) {
  const SparseMatrix& kept = examples.features;
  const std::size_t added = batch.features.nonzeros();
  std::uint64_t bytes = 8 * added + 4 * batch.labels.items.size() + 16 * batch.rows;
  if (kept.columns.size() + added > kept.columns.capacity()) bytes += 4 * kept.columns.size();
  const std::vector<float>& dense = examples.dense.values;
  bytes += 4 * batch.dense.values.size();
  if (dense.size() + batch.dense.values.size() > dense.capacity()) bytes += 8 * dense.size();
  return bytes;
}

// Ids may be few and large: what has an entry for each of them is as long as the largest.
void check_tables(const TrainingSet& set, std::uint64_t ram_bytes, const std::string& path) {
  constexpr std::uint64_t kOfLabel = 16;   // positions, counts, the label at each leaf
  constexpr std::uint64_t kOfFeature = 8;  // where the postings of two levels begin
  const std::size_t features = set.examples.features.num_columns;
  check_budget(process_memory().resident + kOfLabel * set.names.size() + kOfFeature * features,
               ram_bytes,
               fmt::format("{}: keeping tables of {} labels and {} features", path,
                           set.names.size(), features));
}

// Moves the last rows to `name_rows`, one for each label, those without any feature excepted.
void split_name_rows(TrainingSet& set) {
  SparseMatrix& all = set.examples.features;
  const std::size_t rows = all.rows() - set.names.size();
  set.name_rows.features.num_columns = all.num_columns;
  for (std::uint32_t label = 0; label < set.names.size(); ++label) {
    const SparseRow row = all[rows + label];
    if (row.size() == 0) continue;
    push_row(row, set.name_rows.features);
    set.name_rows.labels.items.push_back(LabelId{label});
    set.name_rows.labels.end_row();
  }
  all.offsets.resize(rows + 1);
  all.columns.resize(all.offsets.back());
  all.values.resize(all.offsets.back());
  normalize_rows(set.name_rows.features);
}

// Makes features of texts that come batch by batch. What they are made of, and whether names are
// trained on, is decided once the first rows are there.
class TextRows {
 public:
  TextRows(const Context& context, std::vector<std::string> columns, Reading& how, TrainingSet& set)
      : context_(context), columns_(std::move(columns)), how_(how), set_(set) {}

  // After the labels of the batch have joined the set.
  void add(std::span<const Strings> texts) {
    if (builder_) return builder_->add(text::Documents(texts));
    first_.resize(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) first_[i].append(texts[i]);
    if (is_sample_whole(first_)) begin();
  }

  void finish(const std::string& path) {
    if (!builder_ && !first_.empty()) begin();
    if (!builder_) return;
    context_.report({"making features", 0, 0, "rows"});
    finish_text(*builder_, with_names_, set_, how_.ram_bytes,
                fmt::format("{}: the features of its text", path));
  }

 private:
  void begin() {
    how_.rule(sample_text(columns_, first_), how_.text);
    with_names_ = should_learn_names(context_, how_.label_text, {first_, set_.examples.labels},
                                     set_.names, how_.text);
    builder_.emplace(context_, how_.text, text::KeepDocuments::kYes);
    builder_->add(text::Documents(first_));
    first_ = {};
  }

  const Context& context_;
  std::vector<std::string> columns_;
  Reading& how_;
  TrainingSet& set_;
  std::vector<Strings> first_;
  std::optional<text::VectorizerBuilder> builder_;
  bool with_names_ = false;
};

void read_rows(const Context& context, Reader& reader, const std::string& file, Reading how,
               TrainingSet& set) {
  const std::string path = file == "-" ? "standard input" : file;
  const Schema& schema = reader.schema();
  if (!schema.has_labels) {
    fail(ErrorCode::kInvalidData,
         "{}: expected labels, found none; name their column with --labels or their file with "
         "--label-file",
         path);
  }
  TextRows text(context, schema.text_fields, how, set);
  Examples& examples = set.examples;
  RowBatch batch;
  while (reader.next(batch)) {
    if (how.ram_bytes > 0) {
      check_budget(
          process_memory().resident + growth_of(examples, batch), how.ram_bytes,
          fmt::format("{}: keeping the first {} rows", path, batch.first_row + batch.rows));
    }
    examples.labels.append(batch.labels);
    if (schema.kind == InputKind::kText) {
      text.add(batch.text);
    } else {
      examples.features.append(batch.features);
      examples.dense.append(batch.dense);
    }
  }
  set.schema = schema;
  set.read = reader.report();
  check_learnable(set, path);
  text.finish(path);
  normalize_rows(examples.features);
  check_features(set, path);
}

}  // namespace

void finish_text(text::VectorizerBuilder& builder, bool with_names, TrainingSet& set,
                 std::uint64_t ram_bytes, const std::string& what) {
  // In the same pass: a word of a name and of one row is a word of two documents.
  if (with_names) builder.add(text::Documents(name_documents(set.names, builder.num_fields())));
  if (ram_bytes > 0) {
    check_budget(process_memory().resident + 8 * builder.kept_items(), ram_bytes, what);
  }
  text::Fitted fitted = builder.finish();
  set.examples.features = std::move(fitted.features);
  set.vectorizer = std::move(fitted.vectorizer);
  if (with_names) split_name_rows(set);
}

TextSample sample_text(std::vector<std::string> columns, std::span<const Strings> texts) {
  constexpr std::size_t kRows = 256;  // enough to tell titles from documents
  TextSample sample = {std::move(columns)};
  sample.rows = texts.empty() ? 0 : std::min(kRows, texts[0].rows());
  if (sample.rows == 0) return sample;
  std::uint64_t bytes = 0;
  for (const Strings& field : texts) bytes += field.offsets[sample.rows];
  sample.mean_bytes = static_cast<double>(bytes) / static_cast<double>(sample.rows);
  return sample;
}

TrainingSet read_training_set(const Context& context, const Dataset& data, Reading how) {
  TrainingSet set;
  const auto reader = open_reader(context, data, set.names);
  if (!how.takes_dense) refuse_dense(reader->schema(), data.name());
  const std::uint64_t ram_bytes = how.ram_bytes;
  const bool has_tables = !how.takes_dense;  // of every label, as linear members have
  read_rows(context, *reader, data.name(), std::move(how), set);
  if (has_tables) check_tables(set, ram_bytes, data.name());
  return set;
}

void check_learnable(const TrainingSet& set, const std::string& what) {
  if (set.examples.rows() == 0) {
    fail(ErrorCode::kInvalidData, "{}: no rows to learn from", what);
  }
  const std::vector<LabelId>& labels = set.examples.labels.items;
  if (labels.empty()) fail(ErrorCode::kInvalidData, "{}: no row has a label", what);
  // Numbered labels may be more than occur.
  if (std::all_of(labels.begin(), labels.end(), [&](LabelId l) { return l == labels[0]; })) {
    fail(ErrorCode::kInvalidData,
         "{}: \"{}\" is the only label of all rows; learning needs at least 2", what,
         set.names.name(labels[0]));
  }
}

void check_features(const TrainingSet& set, const std::string& what) {
  const std::vector<float>& values = set.examples.features.values;
  if (set.examples.are_dense()) return;
  if (std::any_of(values.begin(), values.end(), [](float value) { return value != 0; })) return;
  fail(ErrorCode::kInvalidData, "{}: no row has a feature{}", what,
       set.vectorizer ? fmt::format("; words count that are in {} rows or more (--min-df)",
                                    set.vectorizer->options().min_df)
                      : "");
}

Examples read_more(const Context& context, const Dataset& data, const TrainingSet& set) {
  LabelNames names = set.names;
  Dataset rows = data;
  if (const ReadOptions* const file = data.file()) {
    ReadOptions options = *file;
    options.expected = set.schema.layout;
    if (set.vectorizer && file->text_columns.empty()) {
      for (const auto& field : set.vectorizer->options().fields) {
        options.expected_text.push_back(field.name);
      }
    }
    rows = Dataset(options);
  }
  const auto reader = open_reader(context, rows, names);
  const InputKind kind = reader->schema().kind;
  if (kind != kind_of(set)) {
    fail(ErrorCode::kInvalidData, "{}: {}; the training data is {}", data.name(), kind_name(kind),
         kind_name(kind_of(set)));
  }
  Examples examples;
  RowBatch batch;
  while (reader->next(batch)) {
    examples.labels.append(batch.labels);
    examples.dense.append(batch.dense);
    examples.features.append(kind == InputKind::kText
                                 ? set.vectorizer->transform(context, text::Documents(batch.text))
                                 : batch.features);
    if (examples.are_dense() && examples.dense.num_columns != set.examples.dense.num_columns) {
      fail(ErrorCode::kInvalidData, "{}: vectors of {} numbers; those of the training data have {}",
           data.name(), examples.dense.num_columns, set.examples.dense.num_columns);
    }
  }
  normalize_rows(examples.features);
  apply_weights(set.feature_weights.view(), examples.features);
  check_validation_rows(examples, data.name());
  return examples;
}

void check_validation_rows(const Examples& examples, const std::string& what) {
  if (!examples.labels.items.empty()) return;
  fail(ErrorCode::kInvalidData, "{}: {}, so they cannot validate a model", what,
       examples.rows() == 0 ? "no rows"
                            : "no row has a label (--valid-labels names a file of labels)");
}

TrimRule trim_rule_of(const TrainOptions& options) {
  TrimRule rule = {.min_count = options.min_label_count};
  std::string_view text = options.trim_labels;
  const bool is_share = text.ends_with('%');
  if (is_share) text.remove_suffix(1);
  const auto parse = [&](auto& number) {
    const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    return status == std::errc() && stop == text.data() + text.size();
  };
  const bool is_number = is_share ? parse(rule.per_cent) : parse(rule.rarest);
  require(is_number, "trim labels \"{}\"; expected a number of labels or a share such as 25%",
          options.trim_labels);
  require(rule.per_cent >= 0 && rule.per_cent < 100,
          "trim labels {}; expected a share of 0% to less than 100%", options.trim_labels);
  require(rule.min_count <= 1 || (rule.rarest == 0 && rule.per_cent == 0),
          "min label count {} and trim labels {}: both leave out rare labels; give one of them",
          options.min_label_count, options.trim_labels);
  return rule;
}

std::size_t trim_labels(TrainingSet& set, const TrimRule& rule) {
  if (rule.is_none()) return 0;  // labels of no row cost nothing and keep numbers as they are
  Ragged<LabelId>& labels = set.examples.labels;
  const std::vector<LabelId> kept = frequent_labels(labels, rule);
  LabelNames names;
  for (const LabelId label : kept) names.intern(set.names.name(label));
  const std::size_t gone = set.names.size() - names.size();
  std::uint64_t end = 0;
  std::uint64_t begin = 0;
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    const std::uint64_t old_end = labels.offsets[row + 1];
    for (std::uint64_t i = begin; i < old_end; ++i) {
      const std::optional<LabelId> label = renumbered(kept, labels.items[i]);
      if (label) labels.items[end++] = *label;
    }
    begin = old_end;
    labels.offsets[row + 1] = end;
  }
  labels.items.resize(end);
  if (names.size() < 2) {
    const std::string left = rule.min_count > 1
                                 ? fmt::format("have at least {} rows", rule.min_count)
                                 : std::string("are left once the rarest are");
    fail(ErrorCode::kInvalidData, "{} of {} labels {}; learning needs 2", names.size(),
         set.names.size(), left);
  }
  set.names = std::move(names);
  set.name_rows = renumber_name_rows(std::move(set.name_rows), kept);
  return gone;
}

void train_on_names(TrainingSet& set) {
  set.examples.append(set.name_rows);
  set.name_rows = {};
}

}  // namespace mhe::train

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <mhe/dataset.h>

#include "base/atomic_file.h"
#include "base/check.h"
#include "data/byte_source.h"
#include "input/input.h"

namespace mhe {

Dataset::Dataset(ReadOptions file) : from_(std::move(file)) {}
Dataset::Dataset(MemoryRows rows) : from_(std::move(rows)) {}

const std::string& Dataset::name() const noexcept {
  return file() != nullptr ? file()->path : memory()->name;
}

bool Dataset::is_rereadable() const {
  if (file() == nullptr) return true;
  return !data::is_stream(file()->path) &&
         (file()->label_path.empty() || !data::is_stream(file()->label_path));
}

InputBatch InputViews::of(const RowBatch& batch, std::size_t num_fields) {
  const std::size_t found = batch.text.size();
  if (num_fields == 0) num_fields = found;
  require(found == num_fields || found <= 1, "{} text fields; expected {}, or one", found,
          num_fields);
  sparse_.clear();
  dense_.clear();
  texts_.clear();
  for (std::size_t row = 0; row < batch.rows; ++row) {
    if (found > 0) {
      for (std::size_t field = 0; field < num_fields; ++field) {
        texts_.push_back(string_at(batch.text[std::min(field, found - 1)], row));
      }
    } else if (batch.dense.num_columns > 0) {
      dense_.push_back(batch.dense[row]);
    } else {
      sparse_.push_back(batch.features[row]);
    }
  }
  if (found > 0) return TextRows{texts_, num_fields};
  if (batch.dense.num_columns > 0) return DenseRows{dense_};
  return SparseRows{sparse_};
}

struct DatasetBuilder::Rows {
  InputKind kind = InputKind::kSparse;
  std::vector<std::string> field_names;
  std::vector<Strings> texts;  // [field]
  SparseMatrix features;
  std::size_t most_features = 0;  // 0: as many as occur
  DenseMatrix dense;
  Ragged<LabelId> labels;
  LabelNames names;
  std::optional<bool> are_numbered;  // the labels; none: there are none yet

  // What a Dataset shows of the above, made once all rows are there.
  std::vector<std::string_view> text_views;
  std::vector<DenseRow> dense_views;
  std::vector<std::span<const LabelId>> label_views;

  void check(std::span<const std::string_view> row) const {
    require(kind == InputKind::kText, "a text among rows of vectors");
    require(row.size() == field_names.size(), "a row of {} texts; the fields are {}", row.size(),
            field_names.size());
  }
  void check(DenseRow row) const {
    require(kind == InputKind::kDense, "a dense vector among rows of another kind");
    require(row.size() == dense.num_columns, "a vector of {} numbers; rows have {}", row.size(),
            dense.num_columns);
    input::check(row);
  }
  void check(const SparseRow& row) const {
    require(kind != InputKind::kText, "a vector among rows of texts");
    require(kind != InputKind::kDense, "a sparse vector among rows of dense ones");
    input::check(row);
    if (row.columns.empty()) return;
    const std::uint32_t last = row.columns.back();
    require(last < std::numeric_limits<std::uint32_t>::max(), "feature {} is too high", last);
    require(most_features == 0 || last < most_features, "feature {} is out of range; there are {}",
            last, most_features);
  }

  void append(std::span<const std::string_view> row) {
    for (std::size_t i = 0; i < row.size(); ++i) texts[i].push_row(row[i]);
  }
  void append(DenseRow row) { dense.values.insert(dense.values.end(), row.begin(), row.end()); }
  void append(const SparseRow& row) {
    features.columns.insert(features.columns.end(), row.columns.begin(), row.columns.end());
    features.values.insert(features.values.end(), row.values.begin(), row.values.end());
    features.end_row();
  }

  // Before anything of the row is kept.
  void check_labels(const Labels& row) const {
    constexpr std::size_t kMostLabels = std::numeric_limits<std::uint32_t>::max() - 1;
    const auto* ids = std::get_if<std::span<const LabelId>>(&row);
    const bool numbered = ids != nullptr;
    const bool empty =
        std::visit([](const auto& labels_of_row) { return labels_of_row.empty(); }, row);
    if (empty) return;
    for (const LabelId label : numbered ? *ids : std::span<const LabelId>()) {
      require(index_of(label) < kMostLabels, "label {} is out of range; ids are below {}",
              index_of(label), kMostLabels);
    }
    require(are_numbered.value_or(numbered) == numbered, "a row of {} after rows of {}",
            numbered ? "label ids" : "label names", numbered ? "label names" : "label ids");
  }

  // Ascending, each once.
  void append_labels(const Labels& row) {
    const std::size_t begin = labels.items.size();
    if (const auto* row_names = std::get_if<std::span<const std::string_view>>(&row)) {
      for (const std::string_view name : *row_names) labels.items.push_back(names.intern(name));
      if (!row_names->empty()) are_numbered = false;
    } else {
      for (const LabelId label : std::get<std::span<const LabelId>>(row)) {
        names.extend_numbered(index_of(label) + 1);
        labels.items.push_back(label);
        are_numbered = true;
      }
    }
    const auto first = labels.items.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, labels.items.end());
    labels.items.erase(std::unique(first, labels.items.end()), labels.items.end());
    labels.end_row();
  }

  template <class Row>
  void add(const Row& row, const Labels& labels_of_row) {
    check(row);
    check_labels(labels_of_row);
    append(row);
    append_labels(labels_of_row);
  }

  MemoryRows show() {
    MemoryRows shown;
    if (kind == InputKind::kText) {
      for (std::size_t row = 0; row < labels.rows(); ++row) {
        for (const Strings& field : texts) text_views.push_back(string_at(field, row));
      }
      shown.input = TextRows{text_views, texts.size()};
    } else if (kind == InputKind::kDense) {
      for (std::size_t row = 0; row < labels.rows(); ++row) dense_views.push_back(dense[row]);
      shown.input = DenseRows{dense_views};
    } else {
      shown.input = CsrRows{features.offsets, features.columns, features.values};
    }
    for (std::size_t row = 0; row < labels.rows(); ++row) label_views.push_back(labels[row]);
    shown.labels = std::span<const std::span<const LabelId>>(label_views);
    if (are_numbered == false) shown.names = &names;
    shown.text_fields = field_names;
    shown.num_features = most_features;
    return shown;
  }
};

DatasetBuilder::DatasetBuilder(std::unique_ptr<Rows> rows) noexcept : rows_(std::move(rows)) {}
DatasetBuilder::~DatasetBuilder() = default;
DatasetBuilder::DatasetBuilder(DatasetBuilder&& other) noexcept = default;
DatasetBuilder& DatasetBuilder::operator=(DatasetBuilder&& other) noexcept = default;

DatasetBuilder DatasetBuilder::of_texts(std::vector<std::string> fields) {
  require(!fields.empty(), "rows of texts need at least one field");
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    require(std::find(fields.begin(), field, *field) == field, "two fields are called \"{}\"",
            *field);
  }
  auto rows = std::make_unique<Rows>();
  rows->kind = InputKind::kText;
  rows->texts.resize(fields.size());
  rows->field_names = std::move(fields);
  return DatasetBuilder(std::move(rows));
}

DatasetBuilder DatasetBuilder::of_vectors(std::size_t num_features) {
  auto rows = std::make_unique<Rows>();
  rows->most_features = num_features;
  return DatasetBuilder(std::move(rows));
}

DatasetBuilder DatasetBuilder::of_dense_vectors(std::size_t width) {
  require(width > 0, "the width of dense vectors is 0; expected at least 1");
  auto rows = std::make_unique<Rows>();
  rows->kind = InputKind::kDense;
  rows->dense.num_columns = width;
  return DatasetBuilder(std::move(rows));
}

void DatasetBuilder::add(std::span<const std::string_view> texts, Labels labels) {
  rows_->add(texts, labels);
}

void DatasetBuilder::add(std::string_view text, std::initializer_list<std::string_view> labels) {
  rows_->add(std::span<const std::string_view>(&text, 1),
             std::span<const std::string_view>(labels.begin(), labels.size()));
}

void DatasetBuilder::add(const SparseRow& input, Labels labels) {
  rows_->add(input, labels);
}

void DatasetBuilder::add(DenseRow input, Labels labels) {
  rows_->add(input, labels);
}

std::size_t DatasetBuilder::size() const noexcept {
  return rows_->labels.rows();
}

Dataset DatasetBuilder::build() && {
  Dataset dataset(rows_->show());
  dataset.owner_ = std::shared_ptr<const Rows>(std::move(rows_));  // shared by copies
  return dataset;
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void check_writable(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    fail(ErrorCode::kInvalidArgument, "{} is a directory; expected a file to write", path);
  }
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (!directory.empty() && !std::filesystem::is_directory(directory)) {
    fail(ErrorCode::kIo, "cannot create {}: there is no directory {}", path, directory.string());
  }
  // Better now than after training. What is not a regular file is written as it is.
  std::error_code ignored;
  const bool is_special =
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  const std::string place = is_special ? path : directory.empty() ? "." : directory.string();
  if (::access(place.c_str(), W_OK) != 0) {
    fail(ErrorCode::kIo, "cannot create {}: {}", path, std::generic_category().message(errno));
  }
}

}  // namespace mhe

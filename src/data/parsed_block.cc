// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/parsed_block.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "data/line_error.h"

namespace mhe::data {
namespace {

template <class T>
void truncate(Ragged<T>& ragged, std::size_t rows) {
  if (ragged.rows() <= rows) return;
  ragged.offsets.resize(rows + 1);
  ragged.items.resize(ragged.offsets.back());
}

void truncate(SparseMatrix& matrix, std::size_t rows) {
  if (matrix.rows() <= rows) return;
  matrix.offsets.resize(rows + 1);
  matrix.columns.resize(matrix.offsets.back());
  matrix.values.resize(matrix.offsets.back());
}

template <class T>
Ragged<T> without(const Ragged<T>& ragged, const std::vector<std::size_t>& positions) {
  Ragged<T> kept;
  for (std::size_t row = 0; row < ragged.rows(); ++row) {
    if (!std::binary_search(positions.begin(), positions.end(), row)) kept.push_row(ragged[row]);
  }
  return kept;
}

SparseMatrix without(const SparseMatrix& matrix, const std::vector<std::size_t>& positions) {
  SparseMatrix kept;
  kept.num_columns = matrix.num_columns;
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    if (std::binary_search(positions.begin(), positions.end(), row)) continue;
    const SparseRow entries = matrix[row];
    kept.columns.insert(kept.columns.end(), entries.columns.begin(), entries.columns.end());
    kept.values.insert(kept.values.end(), entries.values.begin(), entries.values.end());
    kept.end_row();
  }
  return kept;
}

DenseMatrix without(const DenseMatrix& matrix, const std::vector<std::size_t>& positions) {
  DenseMatrix kept;
  kept.num_columns = matrix.num_columns;
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    if (std::binary_search(positions.begin(), positions.end(), row)) continue;
    kept.values.insert(kept.values.end(), matrix[row].begin(), matrix[row].end());
  }
  return kept;
}

}  // namespace

void ParsedBlock::clear(std::size_t num_text_fields) {
  rows.first_row = 0;
  rows.rows = 0;
  rows.labels.clear();
  rows.features.clear();
  rows.features.num_columns = 0;
  rows.dense.clear();
  rows.text.resize(num_text_fields);
  for (Strings& field : rows.text) field.clear();
  rows.ids.clear();
  labels.clear();
  if (names.size() > 0) names = {};
  first_line = lines = bytes = source_rows = blank_tail = 0;
  dropped.clear();
  bad.clear();
  duplicate_features = duplicate_labels = 0;
}

void ParsedBlock::end_label_row() {
  const auto begin = labels.items.begin() + static_cast<std::ptrdiff_t>(labels.offsets.back());
  // Most rows come sorted and without repetition.
  if (std::adjacent_find(begin, labels.items.end(), std::greater_equal<>()) != labels.items.end()) {
    std::sort(begin, labels.items.end());
    const auto end = std::unique(begin, labels.items.end());
    duplicate_labels += static_cast<std::uint64_t>(labels.items.end() - end);
    labels.items.erase(end, labels.items.end());
  }
  labels.end_row();
}

void ParsedBlock::end_feature_row() {
  SparseMatrix& matrix = rows.features;
  const std::size_t begin = matrix.offsets.back();
  const auto first = matrix.columns.begin() + static_cast<std::ptrdiff_t>(begin);
  if (std::adjacent_find(first, matrix.columns.end(), std::greater_equal<>()) !=
      matrix.columns.end()) {
    sort_scratch.clear();
    for (std::size_t i = begin; i < matrix.columns.size(); ++i) {
      sort_scratch.emplace_back(matrix.columns[i], matrix.values[i]);
    }
    // Stable, so that equal columns are added in the order of the file.
    std::stable_sort(sort_scratch.begin(), sort_scratch.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    matrix.columns.resize(begin);
    matrix.values.resize(begin);
    for (const auto& [column, value] : sort_scratch) {
      if (matrix.columns.size() > begin && matrix.columns.back() == column) {
        matrix.values.back() += value;
        ++duplicate_features;
        if (!std::isfinite(matrix.values.back())) {
          fail_line("the values of feature {} add up to more than a float holds", column);
        }
      } else {
        matrix.columns.push_back(column);
        matrix.values.push_back(value);
      }
    }
  }
  matrix.end_row();
}

void ParsedBlock::remove_rows(const std::vector<std::size_t>& positions) {
  if (positions.empty()) return;
  source_rows -= positions.size();
  if (labels.rows() > 0) labels = without(labels, positions);
  if (rows.features.rows() > 0) rows.features = without(rows.features, positions);
  if (rows.dense.rows() > 0) rows.dense = without(rows.dense, positions);
  if (rows.ids.rows() > 0) rows.ids = without(rows.ids, positions);
  for (Strings& field : rows.text) field = without(field, positions);
}

void ParsedBlock::keep_source_rows(std::uint64_t count) {
  if (count >= source_rows) return;
  source_rows = count;
  dropped.erase(std::lower_bound(dropped.begin(), dropped.end(), count), dropped.end());
  const std::size_t good = good_rows();
  truncate(labels, good);
  truncate(rows.features, good);
  truncate(rows.ids, good);
  for (Strings& field : rows.text) truncate(field, good);
  if (rows.dense.rows() > good) rows.dense.values.resize(good * rows.dense.num_columns);
}

RowMark::RowMark(const ParsedBlock& block)
    : labels_(block.labels.rows()),
      label_items_(block.labels.items.size()),
      features_(block.rows.features.rows()),
      feature_items_(block.rows.features.columns.size()),
      ids_(block.rows.ids.rows()),
      id_items_(block.rows.ids.items.size()),
      dense_(block.rows.dense.values.size()),
      duplicate_features_(block.duplicate_features),
      duplicate_labels_(block.duplicate_labels) {}

void RowMark::rewind(ParsedBlock& block) const {
  block.labels.offsets.resize(labels_ + 1);
  block.labels.items.resize(label_items_);
  block.rows.features.offsets.resize(features_ + 1);
  block.rows.features.columns.resize(feature_items_);
  block.rows.features.values.resize(feature_items_);
  block.rows.ids.offsets.resize(ids_ + 1);
  block.rows.ids.items.resize(id_items_);
  block.rows.dense.values.resize(dense_);
  // A field has as many rows as good rows so far, or one more.
  for (Strings& field : block.rows.text) {
    const std::size_t rows = std::min(field.rows(), block.good_rows());
    field.offsets.resize(rows + 1);
    field.items.resize(field.offsets.back());
  }
  block.duplicate_features = duplicate_features_;
  block.duplicate_labels = duplicate_labels_;
}

}  // namespace mhe::data

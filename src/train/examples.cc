// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/examples.h"

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "matrix/normalize.h"

namespace mhe::train {
namespace {

// Keeps the rows where `keep` is true, in place: what stays only ever moves to the front.
template <class T>
void compact(std::vector<std::uint64_t>& offsets, std::vector<T>& items,
             const std::vector<bool>& keep) {
  std::uint64_t end = 0;
  for (std::size_t row = 0; row < keep.size(); ++row) {
    if (!keep[row]) continue;
    for (std::uint64_t i = offsets[row]; i < offsets[row + 1]; ++i) items[end++] = items[i];
  }
  items.resize(end);
}

void compact_offsets(std::vector<std::uint64_t>& offsets, const std::vector<bool>& keep) {
  std::size_t rows = 0;
  std::uint64_t end = 0;
  std::uint64_t begin = 0;
  for (std::size_t row = 0; row < keep.size(); ++row) {
    const std::uint64_t size = offsets[row + 1] - begin;
    begin = offsets[row + 1];
    if (!keep[row]) continue;
    end += size;
    offsets[++rows] = end;
  }
  offsets.resize(rows + 1);
}

void compact_rows(DenseMatrix& matrix, const std::vector<bool>& keep) {
  std::size_t end = 0;
  for (std::size_t row = 0; row < keep.size(); ++row) {
    if (!keep[row]) continue;
    std::copy_n(matrix[row].data(), matrix.num_columns, matrix.values.data() + end);
    end += matrix.num_columns;
  }
  matrix.values.resize(end);
}

}  // namespace

void Examples::append(const Examples& other) {
  features.append(other.features);
  dense.append(other.dense);
  labels.append(other.labels);
}

void push_row(const SparseRow& row, SparseMatrix& to) {
  to.columns.insert(to.columns.end(), row.columns.begin(), row.columns.end());
  to.values.insert(to.values.end(), row.values.begin(), row.values.end());
  to.end_row();
}

void push_row(const Examples& from, std::size_t row, Examples& to) {
  to.labels.push_row(from.labels[row]);
  if (from.are_dense()) {
    to.dense.values.insert(to.dense.values.end(), from.dense[row].begin(), from.dense[row].end());
    return;
  }
  push_row(from.features[row], to.features);
}

void normalize_rows(SparseMatrix& matrix) {
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    const std::size_t begin = matrix.offsets[row];
    normalize_l2(std::span(matrix.values).subspan(begin, matrix.offsets[row + 1] - begin));
  }
}

void apply_weights(const FeatureWeightsView& weights, SparseMatrix& features) {
  if (weights.change_nothing()) return;
  for (std::size_t row = 0; row < features.rows(); ++row) {
    const std::size_t begin = features.offsets[row];
    weights.apply(features[row].columns,
                  std::span(features.values).subspan(begin, features.offsets[row + 1] - begin));
  }
}

std::vector<std::uint32_t> choose_rows(std::size_t rows, std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> chosen(rows);
  std::iota(chosen.begin(), chosen.end(), 0U);
  RandomStream random(seed, "train.held_out");
  random.shuffle(std::span<std::uint32_t>(chosen));
  chosen.resize(std::min(rows, count));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Examples copy_rows(const Examples& examples, std::span<const std::uint32_t> rows) {
  Examples copies;
  copies.features.num_columns = examples.features.num_columns;
  copies.dense.num_columns = examples.dense.num_columns;
  for (const std::uint32_t row : rows) push_row(examples, row, copies);
  return copies;
}

Examples hold_out(Examples& examples, std::size_t count, std::uint64_t seed) {
  const std::vector<std::uint32_t> chosen = choose_rows(examples.rows(), count, seed);
  Examples taken = copy_rows(examples, chosen);
  if (count == 0) return taken;
  std::vector<bool> keep(examples.rows(), true);
  for (const std::uint32_t row : chosen) keep[row] = false;
  if (examples.are_dense()) {
    compact_rows(examples.dense, keep);
  } else {
    SparseMatrix& features = examples.features;
    compact(features.offsets, features.columns, keep);
    compact(features.offsets, features.values, keep);
    compact_offsets(features.offsets, keep);
  }
  compact(examples.labels.offsets, examples.labels.items, keep);
  compact_offsets(examples.labels.offsets, keep);
  return taken;
}

std::vector<std::uint32_t> count_labels(const Ragged<LabelId>& labels, std::size_t num_labels) {
  std::vector<std::uint32_t> counts(num_labels, 0);
  for (const LabelId label : labels.items) ++counts[index_of(label)];
  return counts;
}

}  // namespace mhe::train

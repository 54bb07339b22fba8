// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/centroids.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/memory.h"
#include "base/parallel.h"

namespace mhe {
namespace {

constexpr std::size_t kLabelsPerBlock = 128;

// The examples of each label, ascending.
Ragged<std::uint64_t> rows_of_labels(const Ragged<LabelId>& labels, std::size_t num_labels) {
  Ragged<std::uint64_t> rows;
  rows.offsets.assign(num_labels + 1, 0);
  for (const LabelId label : labels.items) {
    require(index_of(label) < num_labels, "label {} is out of range; there are {} labels",
            index_of(label), num_labels);
    ++rows.offsets[index_of(label) + 1];
  }
  for (std::size_t l = 0; l < num_labels; ++l) rows.offsets[l + 1] += rows.offsets[l];
  rows.items.resize(labels.items.size());
  std::vector<std::uint64_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    for (const LabelId label : labels[row]) rows.items[next[index_of(label)]++] = row;
  }
  return rows;
}

// Adds sparse rows in a dense vector; remembers which entries it touched.
class Accumulator {
 public:
  void begin(std::size_t num_columns) {
    if (sum_.size() < num_columns) {
      sum_.resize(num_columns, 0);
      touched_in_.resize(num_columns, 0);
    }
    ++round_;
    columns_.clear();
  }

  // Room for a row to add.
  std::vector<float>& row(std::size_t num_columns) {
    row_.resize(num_columns);
    return row_;
  }

  void add(const SparseRow& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::uint32_t column = row.columns[i];
      if (touched_in_[column] != round_) {
        touched_in_[column] = round_;
        sum_[column] = 0;
        columns_.push_back(column);
      }
      sum_[column] += row.values[i];
    }
  }

  // Appends the unit vector along the sum, cut to its max_terms largest entries unless that is 0.
  void finish(std::size_t max_terms, SparseMatrix& out) {
    std::erase_if(columns_, [this](std::uint32_t column) { return sum_[column] == 0; });
    if (max_terms > 0 && columns_.size() > max_terms) {
      std::nth_element(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(max_terms),
                       columns_.end(), [this](std::uint32_t a, std::uint32_t b) {
                         const float size_a = std::abs(sum_[a]);
                         const float size_b = std::abs(sum_[b]);
                         return size_a != size_b ? size_a > size_b : a < b;
                       });
      columns_.resize(max_terms);
    }
    std::sort(columns_.begin(), columns_.end());
    double squares = 0;
    for (const std::uint32_t column : columns_) {
      squares += static_cast<double>(sum_[column]) * static_cast<double>(sum_[column]);
    }
    const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
    for (const std::uint32_t column : columns_) {
      out.columns.push_back(column);
      out.values.push_back(static_cast<float>(static_cast<double>(sum_[column]) * scale));
    }
    out.end_row();
  }

 private:
  std::vector<float> sum_;
  std::vector<float> row_;
  std::vector<std::uint32_t> touched_in_;  // the last round that touched an entry
  std::vector<std::uint32_t> columns_;
  std::uint32_t round_ = 0;  // fewer than 2^32: one a label
};

// `add(accumulator, row)` adds a row to a sum.
template <class Add>
SparseMatrix centroids_of(const Context& context, std::size_t num_columns,
                          const Ragged<LabelId>& labels, const CentroidOptions& options,
                          const Add& add) {
  const Ragged<std::uint64_t> rows = rows_of_labels(labels, options.num_labels);
  std::vector<Accumulator> accumulators(context.threads());
  std::vector<SparseMatrix> parts((options.num_labels + kLabelsPerBlock - 1) / kLabelsPerBlock);
  parallel_blocks(context, options.num_labels, kLabelsPerBlock, [&](const Block& block) {
    Accumulator& accumulator = accumulators[block.worker];
    for (std::size_t label = block.begin; label < block.end; ++label) {
      accumulator.begin(num_columns);
      for (const std::uint64_t row : rows[label]) add(accumulator, row);
      accumulator.finish(options.max_terms, parts[block.index]);
    }
  });
  accumulators.clear();
  SparseMatrix centroids;
  std::size_t nonzeros = 0;
  for (const SparseMatrix& part : parts) nonzeros += part.nonzeros();
  centroids.offsets.reserve(options.num_labels + 1);
  centroids.columns.reserve(nonzeros);
  centroids.values.reserve(nonzeros);
  const std::size_t some = parts.size() / 8 + 1;  // what is there twice is an eighth at most
  for (std::size_t i = 0; i < parts.size(); ++i) {
    centroids.append(parts[i]);
    parts[i] = {};
    if (i % some == some - 1) release_free_memory();
  }
  centroids.num_columns = num_columns;
  return centroids;
}

void check_rows(std::size_t rows, const Ragged<LabelId>& labels) {
  require(rows == labels.rows(), "{} rows of features but {} rows of labels", rows, labels.rows());
}

}  // namespace

SparseMatrix labels::label_centroids(const Context& context, const FilledRows& features,
                                     const Ragged<LabelId>& labels,
                                     const CentroidOptions& options) {
  check_rows(features.num_rows, labels);
  std::vector<std::uint32_t> columns(features.num_columns);
  std::iota(columns.begin(), columns.end(), 0U);
  return centroids_of(context, features.num_columns, labels, options,
                      [&](Accumulator& sum, std::size_t row) {
                        std::vector<float>& values = sum.row(features.num_columns);
                        features.fill(row, values);
                        sum.add({columns, values});
                      });
}

SparseMatrix label_centroids(const Context& context, const SparseMatrix& features,
                             const Ragged<LabelId>& labels, const CentroidOptions& options) {
  check_rows(features.rows(), labels);
  for (const std::uint32_t column : features.columns) {
    require(column < features.num_columns, "feature {} is out of range; there are {}", column,
            features.num_columns);
  }
  return centroids_of(context, features.num_columns, labels, options,
                      [&](Accumulator& sum, std::size_t row) { sum.add(features[row]); });
}

}  // namespace mhe

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/projection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/parallel.h"
#include "base/random.h"
#include "matrix/gemm.h"

namespace mhe::heads {
namespace {

// Rows that are made orthogonal to all before them in two products, then to each other one by one.
constexpr std::size_t kTogether = 64;
// Once leaves a row that lay near those before it off by the rounding of its large part.
constexpr int kTimes = 2;

MatrixSpan some_rows(const MatrixSpan& matrix, std::size_t begin, std::size_t end) {
  return {matrix.data + begin * matrix.num_columns, end - begin, matrix.num_columns};
}

// Takes from `rows` what lies along `others`, which are orthonormal.
void take_along(const Context& context, const MatrixView& others, MatrixSpan rows) {
  if (others.num_rows == 0) return;
  std::vector<float> along(rows.num_rows * others.num_rows);
  const MatrixSpan products = {along.data(), rows.num_rows, others.num_rows};
  multiply(context, rows_of(rows), transpose_of(others), rows.num_columns, products);
  for (float& value : along) value = -value;
  multiply(context, rows_of(products), rows_of(others), others.num_rows, rows, Sum::kAdd);
}

// Gram and Schmidt, for a few rows.
void orthonormalize_few(MatrixSpan rows) {
  std::vector<double> row(rows.num_columns);
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const std::span<float> values = rows[i];
    std::copy(values.begin(), values.end(), row.begin());
    for (std::size_t j = 0; j < i; ++j) {
      const std::span<const float> other = rows[j];
      const double along = std::inner_product(row.begin(), row.end(), other.begin(), 0.0);
      for (std::size_t c = 0; c < row.size(); ++c) row[c] -= along * static_cast<double>(other[c]);
    }
    const double length = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    for (std::size_t c = 0; c < row.size(); ++c) values[c] = static_cast<float>(row[c] / length);
  }
}

void orthonormalize(const Context& context, const MatrixSpan& matrix) {
  for (std::size_t begin = 0; begin < matrix.num_rows; begin += kTogether) {
    const std::size_t end = std::min(matrix.num_rows, begin + kTogether);
    const MatrixSpan rows = some_rows(matrix, begin, end);
    for (int time = 0; time < kTimes; ++time) {
      take_along(context, some_rows(matrix, 0, begin), rows);
      orthonormalize_few(rows);
    }
  }
}

}  // namespace

Projection::Projection(const Context& context, std::string_view level, std::size_t width,
                       std::size_t dim)
    : dim_(dim),
      weights_(width * dim),
      name_(std::string(level) + "projection"),
      first_name_(name_ + ".first"),
      second_name_(name_ + ".second") {
  const MatrixSpan rows = {weights_.values.data(), width, dim};
  for (std::size_t row = 0; row < width; ++row) {
    RandomStream random(context.seed(), name_, row);
    for (float& value : rows[row]) value = static_cast<float>(random.uniform() - 0.5);
  }
  orthonormalize(context, rows);
}

void Projection::update(const Context& context, const MatrixView& gradient,
                        const LayerOptimizer& optimizer, const LayerStep& step) {
  constexpr std::size_t kRowsPerBlock = 32;
  parallel_blocks(context, gradient.num_rows, kRowsPerBlock, [&](const Block& rows) {
    const std::size_t begin = rows.begin * dim_;
    weights_.move(optimizer, step, begin, {gradient.data + begin, rows.end * dim_ - begin}, true);
  });
}

void Projection::end_training() {
  weights_.first = std::vector<float>();
  weights_.second = std::vector<float>();
}

void Projection::add_tensors(std::vector<HeadTensor>& tensors) const {
  tensors.push_back({name_, {rows().num_rows, dim_}, std::span<const float>(weights_.values)});
}

void Projection::visit_state(const std::function<void(const DenseHead::StateArray&)>& visit) {
  visit({name_, weights_.values, true});
  visit({first_name_, weights_.first, false});
  visit({second_name_, weights_.second, false});
}

}  // namespace mhe::heads

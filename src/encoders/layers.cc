// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/layers.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/random.h"
#include "kernels/gemm.h"
#include "kernels/rows.h"
#include "matrix/gemm.h"
#include "text/huge_page_allocator.h"

namespace mhe::encoders {
namespace {

// Uniform numbers in (-bound, bound), a stream for every row so that rows may be filled at once.
void fill_rows(const Context& context, const char* stage, std::size_t width, float bound,
               std::vector<float>& values) {
  constexpr std::size_t kRowGrain = 64;
  parallel_blocks(context, values.size() / width, kRowGrain, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row) {
      RandomStream random(context.seed(), stage, row);
      for (std::size_t i = 0; i < width; ++i) {
        values[row * width + i] = bound * static_cast<float>(2 * random.uniform() - 1);
      }
    }
  });
}

void copy_to_rows(std::span<const float> bias, MatrixSpan rows, std::size_t begin,
                  std::size_t end) {
  for (std::size_t row = begin; row < end; ++row) {
    std::copy(bias.begin(), bias.end(), rows[row].begin());
  }
}

std::vector<float> sum_rows(MatrixView matrix) {
  std::vector<float> sums(matrix.num_columns, 0.0F);
  for (std::size_t row = 0; row < matrix.num_rows; ++row) {
    kernels::add_row(sums.data(), matrix[row].data(), sums.size());
  }
  return sums;
}

}  // namespace

DenseLayer::DenseLayer(const Context& context, std::size_t num_inputs, std::size_t num_outputs,
                       std::size_t index)
    : num_inputs_(num_inputs),
      num_outputs_(num_outputs),
      weight_parameters_(num_inputs * num_outputs),
      bias_(num_outputs) {
  // He et al. 2015: a variance of 2 / inputs keeps that of activations through rectifiers.
  const auto bound = static_cast<float>(std::sqrt(6.0 / static_cast<double>(num_inputs)));
  const Context seeded = context.with_seed(context.seed() + index);
  fill_rows(seeded, "encoder.layer", num_outputs, bound, weight_parameters_.values);
}

void DenseLayer::forward(const Context& context, MatrixView inputs, MatrixSpan outputs) const {
  copy_to_rows(bias_.values, outputs, 0, outputs.num_rows);
  multiply(context, rows_of(inputs), rows_of(weights()), num_inputs_, outputs, Sum::kAdd);
}

void DenseLayer::add_input_gradient(const Context& context, MatrixView gradient,
                                    MatrixSpan input_gradient) const {
  multiply(context, rows_of(gradient), transpose_of(weights()), num_outputs_, input_gradient,
           Sum::kAdd);
}

void DenseLayer::update(const Context& context, MatrixView inputs, MatrixView gradient,
                        const LayerOptimizer& optimizer, const LayerStep& step) {
  constexpr std::size_t kInputGrain = 32;  // rows of W whose gradient stays in L1 or L2
  std::vector<std::vector<float>> scratch(context.threads());
  parallel_blocks(context, num_inputs_, kInputGrain, [&](const Block& block) {
    std::vector<float>& weight_gradient = scratch[block.worker];
    const std::size_t rows = block.end - block.begin;
    weight_gradient.resize(rows * num_outputs_);
    kernels::gemm({.m = rows,
                   .n = num_outputs_,
                   .k = inputs.num_rows,
                   .a = {inputs.data + block.begin, num_inputs_, kernels::Layout::kTransposed},
                   .b = {gradient.data, num_outputs_, kernels::Layout::kRows},
                   .out = weight_gradient.data(),
                   .out_stride = num_outputs_});
    weight_parameters_.move(optimizer, step, block.begin * num_outputs_, weight_gradient, true);
  });
  bias_.move(optimizer, step, 0, sum_rows(gradient), false);
}

TableLayer::TableLayer(const Context& context, std::size_t num_inputs, std::size_t num_outputs,
                       TableRule rule)
    : num_outputs_(num_outputs),
      state_size_(state_size(rule, num_outputs)),
      row_state_(num_inputs * state_size_),
      bias_(num_outputs),
      batch_(num_inputs) {
  // Rows are visited in an order that no machine foresees.
  text::resize_on_huge_pages(rows_, num_inputs * num_outputs);
  const auto bound = static_cast<float>(std::sqrt(3.0 / static_cast<double>(num_outputs)));
  fill_rows(context, "encoder.table", num_outputs, bound, rows_);
}

void TableLayer::forward(const Context& context, std::span<const SparseRow> inputs,
                         MatrixSpan outputs) const {
  constexpr std::size_t kGrain = 8;  // inputs differ in length
  parallel_blocks(context, inputs.size(), kGrain, [&](const Block& block) {
    copy_to_rows(bias_.values, outputs, block.begin, block.end);
    for (std::size_t i = block.begin; i < block.end; ++i) {
      kernels::add_weighted_rows({rows_.data(), num_outputs_, inputs[i].columns, inputs[i].values},
                                 outputs[i].data());
    }
  });
}

void TableLayer::move_rows(const RowsToMove& rows, MatrixView gradient,
                           const TableOptimizer& optimizer, float learning_rate,
                           std::span<float> row_gradient) {
  constexpr std::size_t kAhead = 2;  // rows of 2 KiB: 64 lines on their way
  const FeatureBatch::Part& part = *rows.part;
  const float keep = 1 - learning_rate * optimizer.weight_decay;
  const auto row_of = [&](std::size_t i) {
    return rows_.data() + std::size_t{part.features[i]} * num_outputs_;
  };
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    if (i + kAhead < part.features.size()) {
      kernels::prefetch_row(row_of(i + kAhead), num_outputs_);
    }
    const std::size_t begin = part.begins[i];
    const std::size_t count = part.begins[i + 1] - begin;
    std::fill(row_gradient.begin(), row_gradient.end(), 0.0F);
    kernels::add_weighted_rows(
        {gradient.data, num_outputs_, std::span(part.examples).subspan(begin, count),
         std::span(part.values).subspan(begin, count)},
        row_gradient.data());
    const float square = kernels::sum_squares(row_gradient.data(), num_outputs_);
    if (square == 0) continue;
    if (keeps_vectors(optimizer.rule)) {
      move_row(optimizer, {.row = row_of(i), .gradient = row_gradient.data(), .size = num_outputs_},
               learning_rate,
               std::span(row_state_).subspan(part.features[i] * state_size_, state_size_));
      continue;
    }
    const float factor = row_factor(optimizer, square / static_cast<float>(num_outputs_),
                                    row_state_[part.features[i]]);
    kernels::move_row(row_of(i), row_gradient.data(), num_outputs_, keep, learning_rate * factor);
  }
}

void TableLayer::update(const Context& context, std::span<const SparseRow> inputs,
                        MatrixView gradient, const TableOptimizer& optimizer, float learning_rate) {
  batch_.assign(context, inputs);
  constexpr std::size_t kGrain = 64;  // features; most of them have few examples
  std::vector<RowsToMove> blocks;
  for (const FeatureBatch::Part& part : batch_.parts()) {
    const std::size_t size = part.features.size();
    for (std::size_t begin = 0; begin < size; begin += kGrain) {
      blocks.push_back({&part, begin, std::min(size, begin + kGrain)});
    }
  }
  std::vector<std::vector<float>> scratch(context.threads(), std::vector<float>(num_outputs_));
  parallel_blocks(context, blocks.size(), 1, [&](const Block& block) {
    move_rows(blocks[block.index], gradient, optimizer, learning_rate, scratch[block.worker]);
  });
}

void TableLayer::update_bias(MatrixView gradient, const LayerOptimizer& optimizer,
                             const LayerStep& step) {
  bias_.move(optimizer, step, 0, sum_rows(gradient), false);
}

}  // namespace mhe::encoders

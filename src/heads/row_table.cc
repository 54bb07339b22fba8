// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/row_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/checked.h"
#include "base/parallel.h"
#include "base/random.h"
#include "kernels/rows.h"
#include "text/huge_page_allocator.h"

namespace mhe::heads {
namespace {

// Rows that one random stream fills.
constexpr std::size_t kStreamRows = 256;
// Largest element times the square root of the width. Against features of unit size the scores then
// begin near 0.06: labels differ, none is believed in.
constexpr double kOutputScale = 0.1;

}  // namespace

void RowTable::Delete::operator()(float* rows) const noexcept {
  text::HugePageAllocator<float>().deallocate(rows, count);
}

RowTable::RowTable(const Context& context, const std::string& name, std::size_t num_rows,
                   std::size_t dim, TableRule rule)
    : dim_(dim),
      state_size_(state_size(rule, dim + 1)),
      rows_(nullptr, Delete{0}),
      biases_(num_rows),
      states_(checked_mul(num_rows, state_size_, "the optimiser's numbers of a table")),
      rows_name_(name + "table"),
      biases_name_(name + "bias"),
      states_name_(rows_name_ + ".state") {
  const std::size_t count = checked_mul(num_rows, dim, "the weights of a table");
  // Rows are visited in an order that no machine foresees.
  rows_ = {text::HugePageAllocator<float>().allocate(count), Delete{count}};
  const double scale = 2 * kOutputScale / std::sqrt(static_cast<double>(dim));
  parallel_blocks(context, num_rows, kStreamRows, [&](const Block& block) {
    RandomStream random(context.seed(), rows_name_, block.index);
    for (std::size_t i = block.begin * dim; i < block.end * dim; ++i) {
      rows_[i] = static_cast<float>(scale * (random.uniform() - 0.5));
    }
  });
}

void RowTable::clear_rows(const Context& context) {
  parallel_blocks(context, num_rows(), kStreamRows, [&](const Block& block) {
    std::fill(rows_.get() + block.begin * dim_, rows_.get() + block.end * dim_, 0.0F);
  });
}

void RowTable::move_with_vectors(std::size_t row, const float* gradient, float scale,
                                 float bias_gradient, const RowMove& move) {
  move_row(*move.optimizer,
           {.row = rows_.get() + row * dim_,
            .gradient = gradient,
            .size = dim_,
            .scale = scale,
            .bias = &biases_[row],
            .bias_gradient = bias_gradient},
           move.learning_rate, std::span(states_).subspan(row * state_size_, state_size_));
}

void RowTable::update(std::size_t begin, const MatrixView& gradients,
                      std::span<const float> bias_gradients, const TableOptimizer& optimizer,
                      float learning_rate) {
  const float inverse_size = 1.0F / static_cast<float>(dim_ + 1);
  const float keep = 1 - learning_rate * optimizer.weight_decay;
  for (std::size_t i = 0; i < gradients.num_rows; ++i) {
    const float* gradient = gradients[i].data();
    const std::size_t row = begin + i;
    if (keeps_vectors(optimizer.rule)) {
      move_with_vectors(row, gradient, 1, bias_gradients[i], {&optimizer, learning_rate});
      continue;
    }
    const float squares =
        kernels::sum_squares(gradient, dim_) + bias_gradients[i] * bias_gradients[i];
    const float step = learning_rate * row_factor(optimizer, squares * inverse_size, states_[row]);
    kernels::move_row(rows_.get() + row * dim_, gradient, dim_, keep, step);
    biases_[row] -= step * bias_gradients[i];
  }
}

void RowTable::update(std::size_t begin, std::span<const float> factors,
                      std::span<const float> vector, const RowMove& move, std::span<float> pulled) {
  const TableOptimizer& optimizer = *move.optimizer;
  const float mean_square =
      (kernels::sum_squares(vector.data(), dim_) + 1) / (static_cast<float>(dim_) + 1);
  const float keep = 1 - move.learning_rate * optimizer.weight_decay;
  std::array<float, 64> steps = {};  // of as many rows at a time: a stack's worth
  for (std::size_t first = 0; first < factors.size(); first += steps.size()) {
    const auto part = factors.subspan(first, std::min(steps.size(), factors.size() - first));
    kernels::PulledRows rows = {.rows = rows_.get() + (begin + first) * dim_,
                                .num_rows = part.size(),
                                .dim = dim_,
                                .vector = vector.data(),
                                .factors = part.data(),
                                .steps = steps.data(),
                                .sum = pulled.data()};
    if (keeps_vectors(optimizer.rule)) {
      kernels::pull_rows(rows);  // which stay
      for (std::size_t i = 0; i < part.size(); ++i) {
        move_with_vectors(begin + first + i, vector.data(), part[i], part[i], move);
      }
      continue;
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::size_t row = begin + first + i;
      steps[i] = part[i] * move.learning_rate *
                 row_factor(optimizer, part[i] * part[i] * mean_square, states_[row]);
      biases_[row] -= steps[i];
    }
    rows.keep = keep;
    kernels::pull_rows(rows);
  }
}

void RowTable::add_tensors(std::vector<HeadTensor>& tensors) const {
  tensors.push_back(
      {rows_name_, {num_rows(), dim_}, std::span<const float>(rows_.get(), num_rows() * dim_)});
  tensors.push_back({biases_name_, {num_rows()}, std::span<const float>(biases_)});
}

void RowTable::visit_state(const std::function<void(const DenseHead::StateArray&)>& visit) {
  visit({rows_name_, {rows_.get(), num_rows() * dim_}, true});
  visit({biases_name_, biases_, true});
  visit({states_name_, states_, false});
}

}  // namespace mhe::heads

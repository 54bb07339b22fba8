// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A table of weights with a bias a row and the optimiser's numbers: what the heads train.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>

#include "heads/dense_head.h"
#include "heads/level_work.h"
#include "matrix/table_optimizer.h"
#include "matrix/view.h"

namespace mhe::heads {

/// Rows are random, biases and states 0. Different rows may be updated at once.
class RowTable {
 public:
  /// `name` names the table among the head's tensors, such as "level1."; the Context's seed and it
  /// decide the rows. `rule` is that of every update.
  RowTable(const Context& context, const std::string& name, std::size_t num_rows, std::size_t dim,
           TableRule rule = TableRule::kAdagrad);

  /// Of rows with their biases.
  [[nodiscard]] static std::uint64_t weight_bytes(std::uint64_t num_rows, std::uint64_t dim) {
    return sizeof(float) * num_rows * (dim + 1);
  }
  /// The same with the optimiser's numbers.
  [[nodiscard]] static std::uint64_t training_bytes(std::uint64_t num_rows, std::uint64_t dim,
                                                    TableRule rule) {
    return weight_bytes(num_rows, dim) + sizeof(float) * num_rows * state_size(rule, dim + 1);
  }

  [[nodiscard]] std::size_t num_rows() const noexcept { return biases_.size(); }
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] const float* row(std::size_t index) const noexcept {
    return rows_.get() + index * dim_;
  }
  [[nodiscard]] std::span<float> mutable_row(std::size_t index) noexcept {
    return {rows_.get() + index * dim_, dim_};
  }
  [[nodiscard]] std::span<float> mutable_biases() noexcept { return biases_; }
  void clear_rows(const Context& context);
  [[nodiscard]] MatrixView rows() const noexcept { return {rows_.get(), num_rows(), dim_}; }
  [[nodiscard]] std::span<const float> biases() const noexcept { return biases_; }

  /// Moves rows [begin, begin + gradients.num_rows); `bias_gradients` [row]. The bias counts as one
  /// more element of its row, but does not decay.
  void update(std::size_t begin, const MatrixView& gradients, std::span<const float> bias_gradients,
              const TableOptimizer& optimizer, float learning_rate);

  /// The same for rows whose gradients are multiples of one vector, as those of one example are.
  /// On the way adds factor * row, of rows as they were, to `pulled`: dLoss/dF of the example.
  void update(std::size_t begin, std::span<const float> factors, std::span<const float> vector,
              const RowMove& move, std::span<float> pulled);

  /// Frees the optimiser's numbers: there is no update after it.
  void end_training() { states_ = std::vector<float>(); }

  void add_tensors(std::vector<HeadTensor>& tensors) const;
  void visit_state(const std::function<void(const DenseHead::StateArray&)>& visit);

 private:
  struct Delete {
    std::size_t count;
    void operator()(float* rows) const noexcept;
  };
  // By a rule that keeps vectors; the row's gradient is scale * gradient.
  void move_with_vectors(std::size_t row, const float* gradient, float scale, float bias_gradient,
                         const RowMove& move);

  std::size_t dim_;
  std::size_t state_size_;
  std::unique_ptr<float[], Delete> rows_;  // not a vector: that would fill it with zeros first
  std::vector<float> biases_;
  std::vector<float> states_;  // [row][state_size_]
  std::string rows_name_;
  std::string biases_name_;
  std::string states_name_;
};

}  // namespace mhe::heads

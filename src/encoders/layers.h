// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The two kinds of layers of an encoder while it is trained: a matrix that every example uses
// whole, and a table of which it uses a few rows. Both map inputs to act-less outputs; what they
// share is that every row of weights has one owner a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/context.h>
#include <mhe/input.h>

#include "encoders/feature_batch.h"
#include "matrix/layer_optimizer.h"
#include "matrix/table_optimizer.h"
#include "matrix/view.h"

namespace mhe::encoders {

/// Outputs z = x W + b with W [input][output].
class DenseLayer {
 public:
  /// Random weights of the Context's seed, `index` telling layers apart, so that outputs are about
  /// as large as inputs; biases 0.
  DenseLayer(const Context& context, std::size_t num_inputs, std::size_t num_outputs,
             std::size_t index);

  void forward(const Context& context, MatrixView inputs, MatrixSpan outputs) const;
  /// dLoss/dx of a batch, added to `input_gradient`.
  void add_input_gradient(const Context& context, MatrixView gradient,
                          MatrixSpan input_gradient) const;
  /// Moves weights and biases; `inputs` as forward() had them, `gradient` is dLoss/dz.
  void update(const Context& context, MatrixView inputs, MatrixView gradient,
              const LayerOptimizer& optimizer, const LayerStep& step);

  [[nodiscard]] Parameters& weight_parameters() noexcept { return weight_parameters_; }
  [[nodiscard]] const Parameters& weight_parameters() const noexcept { return weight_parameters_; }
  [[nodiscard]] Parameters& bias() noexcept { return bias_; }
  [[nodiscard]] const Parameters& bias() const noexcept { return bias_; }

 private:
  [[nodiscard]] MatrixView weights() const noexcept {
    return {weight_parameters_.values.data(), num_inputs_, num_outputs_};
  }

  std::size_t num_inputs_;
  std::size_t num_outputs_;
  Parameters weight_parameters_;
  Parameters bias_;
};

/// The same for sparse inputs, where W is a table of which a batch touches some rows.
class TableLayer {
 public:
  /// Random rows of the Context's seed, such that the output of an input of length 1 has length 1
  /// or so; biases 0. `rule` is that of every update.
  TableLayer(const Context& context, std::size_t num_inputs, std::size_t num_outputs,
             TableRule rule);

  void forward(const Context& context, std::span<const SparseRow> inputs, MatrixSpan outputs) const;
  /// Moves the rows that the inputs touch, each once; `gradient` is dLoss/dz.
  void update(const Context& context, std::span<const SparseRow> inputs, MatrixView gradient,
              const TableOptimizer& optimizer, float learning_rate);
  void update_bias(MatrixView gradient, const LayerOptimizer& optimizer, const LayerStep& step);
  /// Frees what only updates need: there is none after it.
  void end_training() {
    batch_.release_scratch();
    row_state_ = std::vector<float>();
  }

  [[nodiscard]] std::vector<float>& rows() noexcept { return rows_; }
  [[nodiscard]] const std::vector<float>& rows() const noexcept { return rows_; }
  [[nodiscard]] std::vector<float>& row_state() noexcept { return row_state_; }  // [input][number]
  [[nodiscard]] Parameters& bias() noexcept { return bias_; }
  [[nodiscard]] const Parameters& bias() const noexcept { return bias_; }

 private:
  // Some features of a part.
  struct RowsToMove {
    const FeatureBatch::Part* part = nullptr;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  void move_rows(const RowsToMove& rows, MatrixView gradient, const TableOptimizer& optimizer,
                 float learning_rate, std::span<float> row_gradient);

  std::size_t num_outputs_;
  std::vector<float> rows_;  // [input][output]
  std::size_t state_size_;
  std::vector<float> row_state_;  // [input][state_size_]
  Parameters bias_;
  FeatureBatch batch_;  // of the last update()
};

}  // namespace mhe::encoders

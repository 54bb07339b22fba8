// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A small network that learns: MlpSpec says which.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <mhe/context.h>

#include "encoders/encoder.h"
#include "encoders/input_scaling.h"
#include "encoders/layers.h"
#include "matrix/view.h"

namespace mhe::encoders {

class MlpEncoder final : public Encoder {
 public:
  /// Random weights of the Context's seed. Dense input needs a scaling.
  MlpEncoder(const Context& context, const EncoderSpec& spec, const EncoderOptimizer& optimizer,
             InputScaling scaling = {});

  void backward(const Context& context, MatrixView gradient, const EncoderStep& step) override;
  void end_training() override;
  void visit_state(const std::function<void(const StateArray&)>& visit) override;
  [[nodiscard]] std::vector<EncoderTensor> tensors() const override;

 private:
  // What run() keeps of a layer for backward().
  struct Tape {
    std::vector<float> outputs;  // of the network after the layer
    std::vector<float> slopes;   // of the activation, 0 where dropped
  };
  MatrixView run(const Context& context, const InputBatch& batch, const EncoderStep& step) override;
  void gather(const Context& context, std::span<const DenseRow> inputs);
  void drop_inputs(const Context& context, const EncoderStep& step);
  void activate_layer(const Context& context, std::size_t layer, const EncoderStep& step);
  void normalize_features(const Context& context);
  void backward_normalize(const Context& context);
  void multiply_by_slopes(const Context& context, const Tape& tape);
  [[nodiscard]] MatrixView inputs_of(std::size_t layer) const;
  [[nodiscard]] DenseLayer& dense_layer(std::size_t layer) noexcept {
    return layers_[layer - (table_ ? 1 : 0)];
  }

  MlpSpec own_;
  std::size_t num_inputs_;
  std::size_t dim_;
  EncoderOptimizer optimizer_;
  InputScaling scaling_;
  std::optional<TableLayer> table_;
  std::vector<DenseLayer> layers_;  // all but the table
  InputBatch batch_;
  std::size_t rows_ = 0;       // of the batch
  std::vector<float> scaled_;  // dense inputs of the batch
  std::vector<Tape> tapes_;
  std::vector<float> features_;   // of length 1, if they are to be
  std::vector<float> scales_;     // what that took: 1 / the length, or 0
  std::vector<float> gradient_;   // by the outputs of a layer
  std::vector<float> by_linear_;  // by what goes into its activation
};

}  // namespace mhe::encoders

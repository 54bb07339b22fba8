// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// An encoder that learns: features of a batch forwards, dLoss/dF backwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mhe/context.h>
#include <mhe/input.h>

#include "encoders/encoder_spec.h"
#include "encoders/encoder_view.h"
#include "encoders/layers.h"
#include "matrix/view.h"

namespace mhe::encoders {

/// Inputs of one form.
struct InputBatch {
  std::span<const SparseRow> sparse = {};
  std::span<const std::span<const float>> dense = {};

  [[nodiscard]] std::size_t size() const noexcept { return sparse.size() + dense.size(); }
};

struct EncoderOptimizer {
  TableOptimizer table;
  LayerOptimizer layers;
};

/// What one step of training is made with.
struct EncoderStep {
  float table_rate = 0.1F;
  float layer_rate = 1e-3F;
  float dropout = 0;         ///< share of a layer's outputs that are 0, in [0, 1)
  std::uint64_t number = 0;  ///< from 0 on; with the Context's seed it decides what is dropped
};

/// Mean and inverse deviation of every column; columns that do not vary get a scale of 0.
struct InputScaling {
  std::vector<float> mean;
  std::vector<float> scale;
};
[[nodiscard]] InputScaling measure_scaling(const Context& context, const DenseMatrix& inputs);

/// Owns parameters and optimiser state. Every row of weights has one owner, so results do not
/// depend on the number of threads.
class Encoder {
 public:
  /// Random weights of the Context's seed. Dense input needs a scaling. Throws kInvalidArgument for
  /// a spec that cannot be.
  Encoder(const Context& context, const EncoderSpec& spec, const EncoderOptimizer& optimizer,
          InputScaling scaling = {});

  [[nodiscard]] const EncoderSpec& spec() const noexcept { return spec_; }

  /// Features [example][dim] of a batch, valid until the next call. The inputs must stay as they
  /// are until backward().
  [[nodiscard]] MatrixView forward(const Context& context, const InputBatch& batch,
                                   const EncoderStep& step);
  /// Moves the parameters down dLoss/dF of the last forward(), which had the same step.
  void backward(const Context& context, MatrixView gradient, const EncoderStep& step);

  /// Frees what only training needs, moments and what a batch left: there is no step after it.
  void end_training();

  /// All arrays that training changes and those of the input's scaling, in a fixed order;
  /// parameters as parameter_shapes() has them.
  [[nodiscard]] std::vector<EncoderArray> arrays();
  /// The parameters, to encode with. Valid as long as the encoder.
  [[nodiscard]] EncoderView view();

 private:
  // What forward() keeps of a layer for backward().
  struct Tape {
    std::vector<float> outputs;  // of the network after the layer
    std::vector<float> slopes;   // of the activation, 0 where dropped
  };
  void gather(const Context& context, std::span<const std::span<const float>> inputs);
  void activate_layer(const Context& context, std::size_t layer, const EncoderStep& step);
  void normalize_features(const Context& context);
  void backward_normalize(const Context& context);
  void multiply_by_slopes(const Context& context, const Tape& tape);
  [[nodiscard]] MatrixView inputs_of(std::size_t layer) const;
  [[nodiscard]] DenseLayer& dense_layer(std::size_t layer) noexcept;

  EncoderSpec spec_;
  EncoderOptimizer optimizer_;
  InputScaling scaling_;
  std::optional<TableLayer> table_;
  std::vector<DenseLayer> layers_;  // all but the table
  InputBatch batch_;
  std::vector<float> scaled_;  // dense inputs of the batch
  std::vector<Tape> tapes_;
  std::vector<float> features_;   // of length 1, if they are to be
  std::vector<float> scales_;     // what that took: 1 / the length, or 0
  std::vector<float> gradient_;   // by the outputs of a layer
  std::vector<float> by_linear_;  // by what goes into its activation
};

}  // namespace mhe::encoders

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// An encoder that learns: features of a batch forwards, dLoss/dF backwards. It knows no labels, no
// losses and no files.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <mhe/context.h>

#include "encoders/batch_encoder.h"
#include "encoders/encoder_spec.h"
#include "matrix/layer_optimizer.h"
#include "matrix/table_optimizer.h"
#include "matrix/view.h"

namespace mhe::encoders {

struct EncoderOptimizer {
  TableOptimizer table;
  LayerOptimizer layers;
};

/// What one step of training is made with.
struct EncoderStep {
  float table_rate = 0.1F;
  float layer_rate = 1e-3F;
  float dropout = 0;         ///< share of a layer's outputs, or of bare features, that are 0
  std::uint64_t number = 0;  ///< from 0 on; with the Context's seed it decides what is dropped
};

/// A trainable encoder. Owns parameters and optimiser state. Every row of weights has one owner, so
/// results do not depend on the number of threads.
class Encoder {
 public:
  virtual ~Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  [[nodiscard]] const EncoderSpec& spec() const noexcept { return spec_; }

  /// Features [row][dim] of a batch, valid until the next call. The rows must stay as they are
  /// until backward(). Throws kInvalidArgument for rows of another kind and for columns out of
  /// range.
  [[nodiscard]] MatrixView forward(const Context& context, const InputBatch& batch,
                                   const EncoderStep& step);
  /// Moves the parameters down dLoss/dF of the last forward(), which had the same step.
  virtual void backward(const Context& context, MatrixView gradient, const EncoderStep& step) = 0;

  /// Frees what only training needs, moments and what a batch left: there is no step after it.
  virtual void end_training() = 0;

  /// An array that a checkpoint keeps, to read or to write.
  struct StateArray {
    std::string_view name;
    std::span<float> values;
    bool is_parameter = true;  ///< else optimiser state: not averaged by SWA, not in the model file
  };
  /// All arrays that training changes and those of the input's scaling, in a fixed order.
  virtual void visit_state(const std::function<void(const StateArray&)>& visit) = 0;

  /// The parameters, as tensor_shapes() lists them; valid as long as the encoder.
  [[nodiscard]] virtual std::vector<EncoderTensor> tensors() const = 0;
  /// To encode with; valid as long as the encoder.
  [[nodiscard]] EncoderView view() const { return {spec_, tensors()}; }

 protected:
  explicit Encoder(const EncoderSpec& spec) : spec_(spec) {}
  virtual MatrixView run(const Context& context, const InputBatch& batch,
                         const EncoderStep& step) = 0;

 private:
  EncoderSpec spec_;
};

}  // namespace mhe::encoders

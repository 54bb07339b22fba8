// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Using an encoder, in memory or mapped from a file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "encoders/encoder_spec.h"
#include "matrix/view.h"

namespace mhe::encoders {

struct TensorShape {
  std::string name;  ///< such as "layer0.weights", "layer0.bias", "input.mean", "input.scale"
  std::vector<std::uint64_t> shape;
};

/// Parameters as they lie somewhere.
struct EncoderTensor : TensorShape {
  std::span<const float> values;
};

/// All that it takes to use an encoder.
struct EncoderView {
  EncoderSpec spec;
  std::vector<EncoderTensor> tensors;  ///< as tensor_shapes() lists them
};

/// Encodes rows. Holds the scratch space, so one for each thread; allocates nothing once it has
/// seen the largest batch. The view's tensors must outlive it. Their contents are not trusted:
/// features are finite whatever they hold.
class BatchEncoder {
 public:
  virtual ~BatchEncoder() = default;
  BatchEncoder(const BatchEncoder&) = delete;
  BatchEncoder& operator=(const BatchEncoder&) = delete;

  /// Features [row][dim], valid until the next call; those of a row do not depend on the others.
  /// Columns that the encoder does not know are ignored. Throws kInvalidArgument for rows of
  /// another kind and for dense vectors of another length than num_inputs.
  [[nodiscard]] MatrixView encode(const InputBatch& batch);

 protected:
  explicit BatchEncoder(const EncoderSpec& spec) : spec_(spec) {}
  [[nodiscard]] const EncoderSpec& spec() const noexcept { return spec_; }
  virtual MatrixView run(const InputBatch& batch) = 0;

 private:
  EncoderSpec spec_;
};

}  // namespace mhe::encoders

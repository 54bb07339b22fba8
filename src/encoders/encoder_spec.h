// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an encoder is, as plain values: enough to build one, and with its arrays enough to use one
// from a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/input.h>

namespace mhe::encoders {

enum class Activation : std::uint8_t { kRelu, kGelu };

/// "relu", "gelu".
[[nodiscard]] std::string_view activation_name(Activation activation) noexcept;
/// Throws kInvalidArgument, listing the names, if there is none of this one.
[[nodiscard]] Activation parse_activation(std::string_view name);

/// A small network from an input to a feature vector. Its first layer is h = act(sum_j x_j W_j +
/// b), W a row of `dim` numbers for each input; the others are residual, h = h + act(h W + b).
struct EncoderSpec {
  InputKind input = InputKind::kSparse;
  std::size_t num_inputs = 0;
  std::size_t dim = 0;     ///< width of the feature vector
  std::size_t layers = 1;  ///< sparse: at least 1; dense: with 0 the input, scaled, is the feature
  Activation activation = Activation::kRelu;
  bool normalize = false;  ///< features of length 1

  friend bool operator==(const EncoderSpec&, const EncoderSpec&) = default;
};

/// Throws kInvalidArgument for a spec that cannot be.
void validate(const EncoderSpec& spec);

/// An array of an encoder that is being trained, to read or to write.
struct EncoderArray {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::span<float> values;
  bool is_parameter = true;  ///< else optimiser state: not averaged, not in the model file
};

/// Names and shapes of the parameters, in a fixed order.
struct ParameterShape {
  std::string name;  ///< such as "layer0.weights", "layer0.bias", "input.mean", "input.scale"
  std::vector<std::uint64_t> shape;
};
[[nodiscard]] std::vector<ParameterShape> parameter_shapes(const EncoderSpec& spec);

/// Bytes to train it: parameters and the state of the optimiser.
[[nodiscard]] std::uint64_t training_bytes(const EncoderSpec& spec, std::size_t batch);

}  // namespace mhe::encoders

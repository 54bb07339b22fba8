// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an encoder is, as plain values: enough to build one, and with its tensors enough to use one
// from a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include <mhe/input.h>

namespace mhe::encoders {

/// The lines of the table in registry.cc, in its order.
enum class EncoderKind : std::uint8_t { kBag, kDense };

enum class Activation : std::uint8_t { kRelu, kGelu };

/// "relu", "gelu".
[[nodiscard]] std::string_view activation_name(Activation activation) noexcept;
/// Throws kInvalidArgument, listing the names, if there is none of this one.
[[nodiscard]] Activation parse_activation(std::string_view name);

/// A small network. Its first layer is h = act(sum_j x_j W_j + b), W a row of `dim` numbers for
/// each input; the others are residual, h = h + act(h W + b).
struct MlpSpec {
  std::size_t layers = 1;  ///< sparse: at least 1; dense: with 0 the input, scaled, is the feature
  Activation activation = Activation::kRelu;
  bool normalize = false;  ///< features of length 1

  friend bool operator==(const MlpSpec&, const MlpSpec&) = default;
};

/// From an input to a feature vector.
struct EncoderSpec {
  EncoderKind kind = EncoderKind::kBag;
  InputKind input = InputKind::kSparse;
  std::size_t num_inputs = 0;      ///< columns of a vector
  std::size_t dim = 0;             ///< width of the feature vector
  std::variant<MlpSpec> own = {};  ///< what only encoders of this kind have

  friend bool operator==(const EncoderSpec&, const EncoderSpec&) = default;
};

}  // namespace mhe::encoders

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Using an encoder, in memory or mapped from a file, for one input at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/input.h>

#include "encoders/encoder_spec.h"

namespace mhe::encoders {

/// The parameters of an encoder as they lie somewhere.
struct EncoderView {
  struct Layer {
    std::span<const float> weights;  ///< [input][dim]
    std::span<const float> bias;     ///< [dim]
  };
  EncoderSpec spec;
  std::span<const float> mean;   ///< dense input: what is taken off
  std::span<const float> scale;  ///< dense input: what it is then multiplied by
  std::vector<Layer> layers;
};

/// Finds a parameter of this shape by its name. Throws if there is none.
using FindParameter = std::function<std::span<const float>(const ParameterShape& expected)>;

[[nodiscard]] EncoderView make_view(const EncoderSpec& spec, const FindParameter& find);

/// Encodes inputs one by one. Holds the scratch space, so one for each thread; allocates nothing
/// after the first call. The view's arrays must outlive it. They are not trusted: features are
/// finite whatever they hold.
class ExampleEncoder {
 public:
  explicit ExampleEncoder(EncoderView view);

  /// The feature vector, valid until the next call. Columns that the encoder does not know are
  /// ignored.
  [[nodiscard]] std::span<const float> encode(const SparseRow& input);
  /// The same for a dense vector. Throws kInvalidArgument unless it has num_inputs numbers.
  [[nodiscard]] std::span<const float> encode(std::span<const float> input);

 private:
  void add_layer(std::size_t layer, std::span<const std::uint32_t> rows,
                 std::span<const float> values);
  [[nodiscard]] std::span<const float> finish();

  EncoderView view_;
  std::vector<std::uint32_t> every_input_;  // 0, 1, 2, ...
  std::vector<float> scaled_;
  std::vector<float> features_;
  std::vector<float> outputs_;
};

}  // namespace mhe::encoders

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Encoders of all kinds: one table in the source lists them, these functions look them up in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <mhe/context.h>

#include "encoders/batch_encoder.h"
#include "encoders/batch_source.h"
#include "encoders/encoder.h"
#include "encoders/encoder_options.h"
#include "encoders/encoder_spec.h"

namespace mhe::encoders {

/// An encoder as users name it.
struct EncoderType {
  EncoderKind kind;
  std::string_view name;
  std::string_view help;  ///< what it is, in a few words
  InputKind input;        ///< rows that it takes
  DefaultRules rules;
};
/// In the order of EncoderKind.
[[nodiscard]] std::vector<EncoderType> encoder_types();
/// Throws kInvalidArgument, listing the names, if there is none of this one.
[[nodiscard]] const EncoderType& encoder_named(std::string_view name);

/// What `options` ask for, over rows of so many columns. Throws kInvalidArgument for what cannot
/// be.
[[nodiscard]] EncoderSpec make_spec(const EncoderType& type, EncoderOptions options,
                                    std::size_t num_inputs);
/// Throws kInvalidArgument for a spec that cannot be.
void validate(const EncoderSpec& spec);

/// Names and shapes of the parameters, in a fixed order.
[[nodiscard]] std::vector<TensorShape> tensor_shapes(const EncoderSpec& spec);
/// Bytes of the parameters.
[[nodiscard]] std::uint64_t parameter_bytes(const EncoderSpec& spec);
/// Bytes to train it: parameters, the state of the optimiser and a batch of `batch` rows.
[[nodiscard]] std::uint64_t training_bytes(const EncoderSpec& spec, std::size_t batch,
                                           TableRule rule);

/// Random parameters of the Context's seed; `rows`, which it will be trained on, show how inputs
/// are scaled. Throws kInvalidArgument for a spec that cannot be.
[[nodiscard]] std::unique_ptr<Encoder> make_encoder(const Context& context, const EncoderSpec& spec,
                                                    const EncoderOptimizer& optimizer,
                                                    BatchSource& rows);

/// Finds a tensor of this shape by its name. Throws if there is none.
using FindTensor = std::function<std::span<const float>(const TensorShape& expected)>;
[[nodiscard]] EncoderView make_view(const EncoderSpec& spec, const FindTensor& find);
[[nodiscard]] std::unique_ptr<BatchEncoder> open_encoder(const EncoderView& view);

/// As a model card has it.
[[nodiscard]] nlohmann::ordered_json to_json(const EncoderSpec& spec);
/// Throws nlohmann::json::exception for what is missing or of another type, and kInvalidArgument
/// for values that no spec has.
[[nodiscard]] EncoderSpec spec_from_json(const nlohmann::json& json);

}  // namespace mhe::encoders

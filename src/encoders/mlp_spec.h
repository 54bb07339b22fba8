// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What follows from the spec of a small network, for the table in registry.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "encoders/batch_encoder.h"
#include "encoders/encoder_options.h"
#include "encoders/encoder_spec.h"

namespace mhe::encoders {

/// Sets spec.own, and the width where features are the inputs.
void complete_mlp(const EncoderOptions& options, EncoderSpec& spec);
/// Throws kInvalidArgument for a spec that cannot be.
void validate_mlp(const EncoderSpec& spec);
[[nodiscard]] std::vector<TensorShape> mlp_tensor_shapes(const EncoderSpec& spec);
[[nodiscard]] std::uint64_t mlp_training_bytes(const EncoderSpec& spec, std::size_t batch);

/// MlpSpec as it stands in a model card.
void add_mlp_json(const EncoderSpec& spec, nlohmann::ordered_json& json);
void read_mlp_json(const nlohmann::json& json, EncoderSpec& spec);

}  // namespace mhe::encoders

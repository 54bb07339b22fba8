// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What follows from the spec of a small network: for the table in registry.cc, and activations.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "encoders/batch_encoder.h"
#include "encoders/encoder_options.h"
#include "encoders/encoder_spec.h"
#include "matrix/table_optimizer.h"

namespace mhe::encoders {

/// Sets spec.own, and the width where features are the inputs.
void complete_mlp(const EncoderOptions& options, EncoderSpec& spec);
/// Throws kInvalidArgument for a spec that cannot be.
void validate_mlp(const EncoderSpec& spec);
[[nodiscard]] std::vector<TensorShape> mlp_tensor_shapes(const EncoderSpec& spec);
[[nodiscard]] std::uint64_t mlp_training_bytes(const EncoderSpec& spec, std::size_t batch,
                                               TableRule rule);

/// MlpSpec as it stands in a model card.
void add_mlp_json(const EncoderSpec& spec, nlohmann::ordered_json& json);
void read_mlp_json(const nlohmann::json& json, EncoderSpec& spec);

/// Runs a small network row by row.
[[nodiscard]] std::unique_ptr<BatchEncoder> open_mlp(const EncoderView& view);

/// A value of an activation and its slope there.
struct Activated {
  float value = 0;
  float slope = 0;
};

[[nodiscard]] inline Activated activate(Activation activation, float z) noexcept {
  if (activation == Activation::kRelu) return z > 0 ? Activated{z, 1} : Activated{0, 0};
  const auto share = static_cast<float>(0.5 * (1 + std::erf(z * std::numbers::sqrt2 / 2)));
  constexpr double kDensity = 0.3989422804014327;  // 1 / sqrt(2 pi)
  const auto density = static_cast<float>(kDensity * std::exp(-0.5 * static_cast<double>(z) * z));
  return {z * share, share + z * density};
}

}  // namespace mhe::encoders

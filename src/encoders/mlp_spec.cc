// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/mlp_spec.h"

#include <limits>
#include <string>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"

namespace mhe::encoders {

std::string_view activation_name(Activation activation) noexcept {
  return activation == Activation::kRelu ? "relu" : "gelu";
}

Activation parse_activation(std::string_view name) {
  if (name == "relu") return Activation::kRelu;
  require(name == "gelu", "activation \"{}\"; expected relu or gelu", name);
  return Activation::kGelu;
}

void complete_mlp(const EncoderOptions& options, EncoderSpec& spec) {
  const MlpSpec own = {.layers = static_cast<std::size_t>(options.hidden_layers) +
                                 (spec.input == InputKind::kDense ? 0 : 1),
                       .activation = parse_activation(options.activation),
                       .normalize = options.normalize};
  if (own.layers == 0) spec.dim = spec.num_inputs;
  spec.own = own;
}

void validate_mlp(const EncoderSpec& spec) {
  constexpr std::size_t kMostLayers = 64;
  const std::size_t layers = std::get<MlpSpec>(spec.own).layers;
  require(layers <= kMostLayers, "{} layers; expected at most {}", layers, kMostLayers);
  require(spec.num_inputs >= 1 && spec.num_inputs < std::numeric_limits<std::uint32_t>::max(),
          "an encoder of {} inputs", spec.num_inputs);
  require(spec.input == InputKind::kDense || layers >= 1,
          "an encoder of sparse vectors needs a layer");
  require(layers >= 1 || spec.dim == spec.num_inputs,
          "without a layer features are the {} inputs; their width was to be {}", spec.num_inputs,
          spec.dim);
}

std::vector<TensorShape> mlp_tensor_shapes(const EncoderSpec& spec) {
  std::vector<TensorShape> shapes;
  if (spec.input == InputKind::kDense) {
    shapes.push_back({"input.mean", {spec.num_inputs}});
    shapes.push_back({"input.scale", {spec.num_inputs}});
  }
  for (std::size_t i = 0; i < std::get<MlpSpec>(spec.own).layers; ++i) {
    shapes.push_back(
        {fmt::format("layer{}.weights", i), {i == 0 ? spec.num_inputs : spec.dim, spec.dim}});
    shapes.push_back({fmt::format("layer{}.bias", i), {spec.dim}});
  }
  return shapes;
}

std::uint64_t mlp_training_bytes(const EncoderSpec& spec, std::size_t batch, TableRule rule) {
  std::uint64_t floats = 0;
  for (std::size_t i = 0; i < std::get<MlpSpec>(spec.own).layers; ++i) {
    const bool is_table = i == 0 && spec.input == InputKind::kSparse;
    const std::uint64_t inputs = i == 0 ? spec.num_inputs : spec.dim;
    // A table has its state and two numbers a row that sort a batch by feature; other layers have
    // two moments a weight.
    floats +=
        is_table ? inputs * (spec.dim + state_size(rule, spec.dim) + 2) : 3 * inputs * spec.dim;
    floats += 3 * spec.dim + 3 * batch * spec.dim;
  }
  if (spec.input == InputKind::kDense) floats += 2 * spec.num_inputs + batch * spec.num_inputs;
  return sizeof(float) * floats;
}

void add_mlp_json(const EncoderSpec& spec, nlohmann::ordered_json& json) {
  const auto& own = std::get<MlpSpec>(spec.own);
  json["layers"] = own.layers;
  json["activation"] = activation_name(own.activation);
  json["normalize"] = own.normalize;
}

void read_mlp_json(const nlohmann::json& json, EncoderSpec& spec) {
  MlpSpec own;
  json.at("layers").get_to(own.layers);
  own.activation = parse_activation(json.at("activation").get<std::string>());
  json.at("normalize").get_to(own.normalize);
  spec.own = own;
}

}  // namespace mhe::encoders

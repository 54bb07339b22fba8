// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/registry.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "encoders/mlp_encoder.h"
#include "encoders/mlp_spec.h"

namespace mhe::encoders {
namespace {

constexpr std::size_t kMostWidth = 1U << 16U;

// What a class of encoders is made of.
struct Functions {
  void (*complete)(const EncoderOptions&, EncoderSpec&);
  void (*validate)(const EncoderSpec&);
  std::vector<TensorShape> (*tensor_shapes)(const EncoderSpec&);
  std::uint64_t (*training_bytes)(const EncoderSpec&, std::size_t batch, TableRule rule);
  std::unique_ptr<Encoder> (*make)(const Context&, const EncoderSpec&, const EncoderOptimizer&,
                                   BatchSource&);
  std::unique_ptr<BatchEncoder> (*open)(const EncoderView&);
  void (*add_json)(const EncoderSpec&, nlohmann::ordered_json&);
  void (*read_json)(const nlohmann::json&, EncoderSpec&);
};

struct Entry {
  EncoderType type;
  Functions functions;
};

std::unique_ptr<Encoder> make_mlp(const Context& context, const EncoderSpec& spec,
                                  const EncoderOptimizer& optimizer, BatchSource& rows) {
  InputScaling scaling;
  if (spec.input == InputKind::kDense) scaling = measure_scaling(context, rows, spec.num_inputs);
  return std::make_unique<MlpEncoder>(context, spec, optimizer, std::move(scaling));
}

constexpr Functions kMlp = {.complete = complete_mlp,
                            .validate = validate_mlp,
                            .tensor_shapes = mlp_tensor_shapes,
                            .training_bytes = mlp_training_bytes,
                            .make = make_mlp,
                            .open = open_mlp,
                            .add_json = add_mlp_json,
                            .read_json = read_mlp_json};

// In the order of EncoderKind.
constexpr std::array kEncoders = {
    Entry{{EncoderKind::kBag,
           "bag",
           "a learned embedding of it",
           InputKind::kSparse,
           {.table_rule = "adagrad",
            .dropout = 0.3F,
            .hidden_layers = 0,
            .fits_head_to_rows = true,
            .cascade_order = "random"}},
          kMlp},
    Entry{{EncoderKind::kDense,
           "dense",
           "for dense vectors",
           InputKind::kDense,
           {.table_rule = "adam",
            .dropout = 0,
            .hidden_layers = 1,
            .fits_head_to_rows = false,
            .cascade_order = "clustered"}},
          kMlp},
};

// Of InputKind, in a model card.
constexpr std::array<std::string_view, 3> kInputs = {"sparse", "dense", "text"};

// Of a model card that names no kind: those of the first versions do not.
EncoderKind implied_kind(InputKind input) {
  return input == InputKind::kDense ? EncoderKind::kDense : EncoderKind::kBag;
}

const Entry& entry_of(const EncoderSpec& spec) {
  const auto index = static_cast<std::size_t>(spec.kind);
  MHE_ASSERT(index < kEncoders.size() && kEncoders[index].type.kind == spec.kind);
  return kEncoders[index];
}

}  // namespace

std::vector<EncoderType> encoder_types() {
  std::vector<EncoderType> types;
  for (const Entry& entry : kEncoders) types.push_back(entry.type);
  return types;
}

const EncoderType& encoder_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEncoders) {
    if (entry.type.name == name) return entry.type;
    names.push_back(entry.type.name);
  }
  fail(ErrorCode::kInvalidArgument, "encoder \"{}\"; expected one of {}", name,
       fmt::join(names, ", "));
}

void validate(const EncoderOptions& options) {
  constexpr int kMostHidden = 63;
  (void)parse_activation(options.activation);
  require(options.dim >= 1 && options.dim <= kMostWidth, "dim {}; expected {} to {}", options.dim,
          1, kMostWidth);
  require(options.hidden_layers >= -1 && options.hidden_layers <= kMostHidden,
          "hidden layers {}; expected {} to {}", options.hidden_layers, -1, kMostHidden);
}

EncoderSpec make_spec(const EncoderType& type, EncoderOptions options, std::size_t num_inputs) {
  if (options.hidden_layers < 0) options.hidden_layers = type.rules.hidden_layers;
  EncoderSpec spec = {
      .kind = type.kind, .input = type.input, .num_inputs = num_inputs, .dim = options.dim};
  entry_of(spec).functions.complete(options, spec);
  validate(spec);
  return spec;
}

void validate(const EncoderSpec& spec) {
  const auto& [type, functions] = entry_of(spec);
  require(spec.input == type.input, "the encoder {} takes {}", type.name, kind_name(type.input));
  require(spec.dim >= 1 && spec.dim <= kMostWidth, "an encoder of width {}; expected 1 to {}",
          spec.dim, kMostWidth);
  functions.validate(spec);
}

std::vector<TensorShape> tensor_shapes(const EncoderSpec& spec) {
  return entry_of(spec).functions.tensor_shapes(spec);
}

std::uint64_t parameter_bytes(const EncoderSpec& spec) {
  std::uint64_t bytes = 0;
  for (const TensorShape& tensor : tensor_shapes(spec)) {
    std::uint64_t count = 1;
    for (const std::uint64_t extent : tensor.shape) count *= extent;
    bytes += sizeof(float) * count;
  }
  return bytes;
}

std::uint64_t training_bytes(const EncoderSpec& spec, std::size_t batch, TableRule rule) {
  return entry_of(spec).functions.training_bytes(spec, batch, rule);
}

std::unique_ptr<Encoder> make_encoder(const Context& context, const EncoderSpec& spec,
                                      const EncoderOptimizer& optimizer, BatchSource& rows) {
  validate(spec);
  return entry_of(spec).functions.make(context, spec, optimizer, rows);
}

EncoderView make_view(const EncoderSpec& spec, const FindTensor& find) {
  validate(spec);
  EncoderView view = {spec, {}};
  for (TensorShape& shape : tensor_shapes(spec)) {
    const std::span<const float> values = find(shape);
    view.tensors.push_back({std::move(shape), values});
  }
  return view;
}

std::unique_ptr<BatchEncoder> open_encoder(const EncoderView& view) {
  return entry_of(view.spec).functions.open(view);
}

nlohmann::ordered_json to_json(const EncoderSpec& spec) {
  const auto& [type, functions] = entry_of(spec);
  nlohmann::ordered_json json;
  if (spec.kind != implied_kind(spec.input)) json["kind"] = type.name;
  json["input"] = kInputs.at(static_cast<std::size_t>(spec.input));
  json["num_inputs"] = spec.num_inputs;
  json["dim"] = spec.dim;
  functions.add_json(spec, json);
  return json;
}

EncoderSpec spec_from_json(const nlohmann::json& json) {
  EncoderSpec spec;
  const std::string input = json.at("input");
  const auto* const found = std::find(kInputs.begin(), kInputs.end(), input);
  require(found != kInputs.end(), "an encoder of {} input", input);
  spec.input = static_cast<InputKind>(found - kInputs.begin());
  spec.kind = json.contains("kind") ? encoder_named(json.at("kind").get<std::string>()).kind
                                    : implied_kind(spec.input);
  json.at("num_inputs").get_to(spec.num_inputs);
  json.at("dim").get_to(spec.dim);
  entry_of(spec).functions.read_json(json, spec);
  validate(spec);
  return spec;
}

}  // namespace mhe::encoders

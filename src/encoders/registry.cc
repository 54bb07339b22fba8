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
#include "encoders/mlp_batch_encoder.h"
#include "encoders/mlp_spec.h"

namespace mhe::encoders {
namespace {

// What a class of encoders is made of.
struct Functions {
  void (*validate)(const EncoderSpec&);
  std::vector<TensorShape> (*tensor_shapes)(const EncoderSpec&);
  std::uint64_t (*training_bytes)(const EncoderSpec&, std::size_t batch);
  std::unique_ptr<Encoder> (*make)(const Context&, const EncoderSpec&, const EncoderOptimizer&,
                                   InputScaling);
  std::unique_ptr<BatchEncoder> (*open)(const EncoderView&);
  void (*add_json)(const EncoderSpec&, nlohmann::ordered_json&);
  void (*read_json)(const nlohmann::json&, EncoderSpec&);
};

struct Entry {
  EncoderKind kind;
  std::string_view name;
  InputKind input;
  Functions functions;
};

std::unique_ptr<Encoder> make_mlp(const Context& context, const EncoderSpec& spec,
                                  const EncoderOptimizer& optimizer, InputScaling scaling) {
  return std::make_unique<MlpEncoder>(context, spec, optimizer, std::move(scaling));
}

std::unique_ptr<BatchEncoder> open_mlp(const EncoderView& view) {
  return std::make_unique<MlpBatchEncoder>(view);
}

constexpr Functions kMlp = {.validate = validate_mlp,
                            .tensor_shapes = mlp_tensor_shapes,
                            .training_bytes = mlp_training_bytes,
                            .make = make_mlp,
                            .open = open_mlp,
                            .add_json = add_mlp_json,
                            .read_json = read_mlp_json};

// In the order of EncoderKind.
constexpr std::array kEncoders = {
    Entry{EncoderKind::kBag, "bag", InputKind::kSparse, kMlp},
    Entry{EncoderKind::kDense, "dense", InputKind::kDense, kMlp},
};

// Of InputKind, in a model card.
constexpr std::array<std::string_view, 3> kInputs = {"sparse", "dense", "text"};

// Of a model card that names no kind: those of the first versions do not.
EncoderKind implied_kind(InputKind input) {
  return input == InputKind::kDense ? EncoderKind::kDense : EncoderKind::kBag;
}

const Entry& entry_named(std::string_view name) {
  const auto* const found = std::find_if(kEncoders.begin(), kEncoders.end(),
                                         [&](const Entry& entry) { return entry.name == name; });
  if (found != kEncoders.end()) return *found;
  std::vector<std::string_view> names;
  for (const Entry& entry : kEncoders) names.push_back(entry.name);
  fail(ErrorCode::kInvalidArgument, "encoder \"{}\"; expected one of {}", name,
       fmt::join(names, ", "));
}

const Entry& entry_of(const EncoderSpec& spec) {
  const auto index = static_cast<std::size_t>(spec.kind);
  MHE_ASSERT(index < kEncoders.size() && kEncoders[index].kind == spec.kind);
  return kEncoders[index];
}

}  // namespace

void validate(const EncoderSpec& spec) {
  constexpr std::size_t kMostWidth = 1U << 16U;
  const Entry& entry = entry_of(spec);
  require(spec.input == entry.input, "the encoder {} takes {}", entry.name, kind_name(entry.input));
  require(spec.dim >= 1 && spec.dim <= kMostWidth, "an encoder of width {}; expected 1 to {}",
          spec.dim, kMostWidth);
  entry.functions.validate(spec);
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

std::uint64_t training_bytes(const EncoderSpec& spec, std::size_t batch) {
  return entry_of(spec).functions.training_bytes(spec, batch);
}

std::unique_ptr<Encoder> make_encoder(const Context& context, const EncoderSpec& spec,
                                      const EncoderOptimizer& optimizer, InputScaling scaling) {
  validate(spec);
  return entry_of(spec).functions.make(context, spec, optimizer, std::move(scaling));
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
  const Entry& entry = entry_of(spec);
  nlohmann::ordered_json json;
  if (spec.kind != implied_kind(spec.input)) json["kind"] = entry.name;
  json["input"] = kInputs.at(static_cast<std::size_t>(spec.input));
  json["num_inputs"] = spec.num_inputs;
  json["dim"] = spec.dim;
  entry.functions.add_json(spec, json);
  return json;
}

EncoderSpec spec_from_json(const nlohmann::json& json) {
  EncoderSpec spec;
  const std::string input = json.at("input");
  const auto* const found = std::find(kInputs.begin(), kInputs.end(), input);
  require(found != kInputs.end(), "an encoder of {} input", input);
  spec.input = static_cast<InputKind>(found - kInputs.begin());
  spec.kind = json.contains("kind") ? entry_named(json.at("kind").get<std::string>()).kind
                                    : implied_kind(spec.input);
  json.at("num_inputs").get_to(spec.num_inputs);
  json.at("dim").get_to(spec.dim);
  entry_of(spec).functions.read_json(json, spec);
  validate(spec);
  return spec;
}

}  // namespace mhe::encoders

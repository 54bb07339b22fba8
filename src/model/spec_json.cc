// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/spec_json.h"

#include <string>

#include "base/check.h"

namespace mhe::model {

nlohmann::ordered_json to_json(const encoders::EncoderSpec& spec) {
  return {{"input", spec.input == InputKind::kSparse ? "sparse" : "dense"},
          {"num_inputs", spec.num_inputs},
          {"dim", spec.dim},
          {"layers", spec.layers},
          {"activation", encoders::activation_name(spec.activation)},
          {"normalize", spec.normalize}};
}

encoders::EncoderSpec encoder_spec_from(const nlohmann::json& json) {
  encoders::EncoderSpec spec;
  const std::string input = json.at("input");
  require(input == "sparse" || input == "dense", "an encoder of {} input", input);
  spec.input = input == "sparse" ? InputKind::kSparse : InputKind::kDense;
  json.at("num_inputs").get_to(spec.num_inputs);
  json.at("dim").get_to(spec.dim);
  json.at("layers").get_to(spec.layers);
  spec.activation = encoders::parse_activation(json.at("activation").get<std::string>());
  json.at("normalize").get_to(spec.normalize);
  encoders::validate(spec);
  return spec;
}

}  // namespace mhe::model

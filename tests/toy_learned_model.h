// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A small model with a learned encoder and random weights, for tests of using one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/context.h"
#include "encoders/encoder.h"
#include "heads/registry.h"
#include "labels/names.h"
#include "labels/order.h"
#include "labels/product_codes.h"
#include "model/learned_model.h"

namespace mhe::testing {

struct ToyLearnedOptions {
  InputKind input = InputKind::kSparse;
  HeadKind head = HeadKind::kCascade;
  std::size_t members = 1;
  heads::ProductCode code = heads::ProductCode::kDigits;
  std::size_t rank = 1;
  /// Changes the head as it stands in the card, and nothing else: a card that lies.
  std::function<void(heads::HeadSpec&)> forge = {};
};

inline constexpr std::size_t kToyLearnedInputs = 40;

inline heads::HeadSpec toy_head_spec(const ToyLearnedOptions& options) {
  heads::HeadSpec spec;
  spec.num_labels = 28;
  spec.dim = 6;
  spec.lengths = {6, 5};
  if (options.head == HeadKind::kOneHot) spec.lengths = {28};
  if (options.code == heads::ProductCode::kPowerset) spec.lengths.assign(7, 16);
  spec.loss = options.rank > 1 ? heads::Loss::kSoftmax : heads::Loss::kSigmoid;
  spec.own = heads::head_type(options.head).own;
  if (auto* product = spec.as<heads::ProductSpec>()) *product = {options.rank, options.code};
  if (auto* cascade = spec.as<heads::CascadeSpec>()) cascade->candidates = 3;
  return spec;
}

inline heads::HeadSetup toy_head_setup(const Context& context, const heads::HeadSpec& spec) {
  heads::HeadSetup setup;
  if (spec.has_code(heads::ProductCode::kTable)) {
    setup.codes = labels::product_codes(context, spec.num_labels, {}, spec.lengths);
  } else if (spec.kind() != HeadKind::kOneHot && !spec.has_code(heads::ProductCode::kPowerset)) {
    setup.order = labels::random_order(spec.num_labels, spec.lengths, context.seed(),
                                       labels::Placement::kCompact);
  }
  return setup;
}

inline void write_toy_learned_model(const std::string& path,
                                    const ToyLearnedOptions& options = {}) {
  encoders::EncoderSpec spec;
  spec.input = options.input;
  spec.num_inputs = kToyLearnedInputs;
  spec.dim = 6;
  spec.layers = 2;
  encoders::InputScaling scaling;
  if (options.input == InputKind::kDense) {
    scaling = {std::vector<float>(spec.num_inputs, 0.5F), std::vector<float>(spec.num_inputs, 2)};
  }
  const heads::HeadSpec head = toy_head_spec(options);
  std::vector<std::unique_ptr<encoders::Encoder>> encoders;
  std::vector<std::unique_ptr<heads::DenseHead>> heads;
  std::vector<model::LearnedMember> members;
  for (std::size_t m = 0; m < options.members; ++m) {
    const Context context({.threads = 1, .seed = m + 1});
    encoders.push_back(
        std::make_unique<encoders::Encoder>(context, spec, encoders::EncoderOptimizer(), scaling));
    heads.push_back(heads::make_dense_head(context, head, toy_head_setup(context, head)));
    members.push_back({encoders.back()->view(), heads.back()->spec(), heads.back()->tensors()});
    if (options.forge) options.forge(members.back().head);
  }
  labels::LabelNames names;
  for (std::size_t i = 0; i < head.num_labels; ++i) names.intern("label " + std::to_string(i));
  const std::vector<std::uint32_t> counts(head.num_labels, 1);
  model::write_learned(path, {.parts = {.names = names,
                                        .num_features = spec.num_inputs,
                                        .training_rows = 2,
                                        .label_counts = counts,
                                        .options_json = "{}"},
                              .members = members});
}

}  // namespace mhe::testing

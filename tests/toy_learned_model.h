// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A small model with a learned encoder and random weights, for tests of using one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/context.h"
#include "encoders/encoder.h"
#include "heads/dense_head.h"
#include "labels/names.h"
#include "labels/order.h"
#include "model/learned_model.h"

namespace mhe::testing {

struct ToyLearnedOptions {
  encoders::InputForm input = encoders::InputForm::kSparse;
  HeadKind head = HeadKind::kCascade;
  std::size_t members = 1;
};

inline constexpr std::size_t kToyLearnedInputs = 40;

inline heads::HeadSpec toy_head_spec(HeadKind kind) {
  heads::HeadSpec spec;
  spec.kind = kind;
  spec.num_labels = 28;
  spec.dim = spec.inner_dim = 6;
  spec.lengths =
      kind == HeadKind::kOneHot ? std::vector<std::uint32_t>{28} : std::vector<std::uint32_t>{6, 5};
  spec.candidates = 3;
  spec.loss = heads::Loss::kSigmoid;
  return spec;
}

inline void write_toy_learned_model(const std::string& path,
                                    const ToyLearnedOptions& options = {}) {
  encoders::EncoderSpec spec;
  spec.input = options.input;
  spec.num_inputs = kToyLearnedInputs;
  spec.dim = 6;
  spec.layers = 2;
  encoders::InputScaling scaling;
  if (options.input == encoders::InputForm::kDense) {
    scaling = {std::vector<float>(spec.num_inputs, 0.5F), std::vector<float>(spec.num_inputs, 2)};
  }
  const heads::HeadSpec head = toy_head_spec(options.head);
  std::vector<std::unique_ptr<encoders::Encoder>> encoders;
  std::vector<std::unique_ptr<heads::DenseHead>> heads;
  std::vector<model::LearnedMember> members;
  for (std::size_t m = 0; m < options.members; ++m) {
    const Context context({.threads = 1, .seed = m + 1});
    encoders.push_back(
        std::make_unique<encoders::Encoder>(context, spec, encoders::EncoderOptimizer(), scaling));
    heads::HeadSetup setup;
    if (options.head != HeadKind::kOneHot) {
      setup.order =
          labels::random_order(head.num_labels, head.lengths, m + 1, labels::Placement::kCompact);
    }
    heads.push_back(heads::make_dense_head(context, head, std::move(setup)));
    members.push_back({encoders.back()->view(), heads.back()->spec(), heads.back()->tensors()});
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

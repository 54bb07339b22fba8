// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A small model with a learned encoder and random weights, for tests of using one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <mhe/context.h>
#include <mhe/label_space.h>

#include "encoders/mlp_encoder.h"
#include "heads/dense_head.h"
#include "heads/registry.h"
#include "heads/set_calibration.h"
#include "labels/product_codes.h"
#include "model/dense_member.h"
#include "model/model.h"

namespace mhe::testing {

struct ToyLearnedOptions {
  InputKind input = InputKind::kSparse;
  HeadKind head = HeadKind::kCascade;
  std::size_t members = 1;
  heads::ProductCode code = heads::ProductCode::kDigits;
  std::size_t rank = 1;
  bool calibrates_sets = false;  ///< kPowerset
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
    setup.order = random_order(spec.num_labels, spec.lengths, context.seed(), Placement::kCompact);
  }
  return setup;
}

inline void write_toy_learned_model(const std::string& path,
                                    const ToyLearnedOptions& options = {}) {
  const bool is_dense = options.input == InputKind::kDense;
  const encoders::EncoderSpec spec = {
      .kind = is_dense ? encoders::EncoderKind::kDense : encoders::EncoderKind::kBag,
      .input = options.input,
      .num_inputs = kToyLearnedInputs,
      .dim = 6,
      .own = encoders::MlpSpec{.layers = 2}};
  encoders::InputScaling scaling;
  if (is_dense) {
    scaling = {std::vector<float>(spec.num_inputs, 0.5F), std::vector<float>(spec.num_inputs, 2)};
  }
  const heads::HeadSpec head = toy_head_spec(options);
  std::vector<std::unique_ptr<encoders::Encoder>> encoders;
  std::vector<std::unique_ptr<heads::DenseHead>> heads;
  std::vector<std::unique_ptr<model::DenseMember>> members;
  std::vector<const model::Member*> all;
  std::deque<heads::SetCalibration> calibrations;  // members point into them
  for (std::size_t m = 0; m < options.members; ++m) {
    const Context context({.threads = 1, .seed = m + 1});
    encoders.push_back(std::make_unique<encoders::MlpEncoder>(
        context, spec, encoders::EncoderOptimizer(), scaling));
    heads.push_back(heads::make_dense_head(context, head, toy_head_setup(context, head)));
    model::DenseParts parts = {encoders.back()->view(), heads.back()->spec(),
                               heads.back()->tensors()};
    if (options.calibrates_sets) {
      calibrations.push_back(heads::SetCalibration::none(head));
      for (float& scale : calibrations.back().odds_scales) scale = 0.3F;
      for (auto& tensor : calibrations.back().tensors()) parts.tensors.push_back(tensor);
    }
    if (options.forge) options.forge(parts.head);
    members.push_back(std::make_unique<model::DenseMember>(std::move(parts)));
    all.push_back(members.back().get());
  }
  LabelNames names;
  for (std::size_t i = 0; i < head.num_labels; ++i) names.intern("label " + std::to_string(i));
  const std::vector<std::uint32_t> counts(head.num_labels, 1);
  model::write_model(path, {.names = names,
                            .num_features = spec.num_inputs,
                            .training_rows = 2,
                            .label_counts = counts,
                            .options_json = "{}",
                            .members = all});
}

}  // namespace mhe::testing

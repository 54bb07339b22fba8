// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/encoder_view.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "encoders/activation.h"
#include "kernels/weighted_rows.h"
#include "matrix/normalize.h"

namespace mhe::encoders {
namespace {

// Far beyond any feature that a sound encoder gives, and products of two of them still fit a float.
constexpr float kMostFeature = 1e9F;

float tame(float value) noexcept {
  return std::isfinite(value) ? std::clamp(value, -kMostFeature, kMostFeature) : 0.0F;
}

}  // namespace

EncoderView make_view(const EncoderSpec& spec, const FindParameter& find) {
  validate(spec);
  EncoderView view;
  view.spec = spec;
  const std::vector<ParameterShape> shapes = parameter_shapes(spec);
  std::size_t next = 0;
  if (spec.input == InputKind::kDense) {
    view.mean = find(shapes[next++]);
    view.scale = find(shapes[next++]);
  }
  for (std::size_t i = 0; i < spec.layers; ++i) {
    const std::span<const float> weights = find(shapes[next++]);
    view.layers.push_back({weights, find(shapes[next++])});
  }
  return view;
}

ExampleEncoder::ExampleEncoder(EncoderView view) : view_(std::move(view)) {
  const EncoderSpec& spec = view_.spec;
  const bool has_rows = spec.input == InputKind::kDense || spec.layers > 1;
  if (has_rows) {
    every_input_.resize(std::max(spec.dim, spec.input == InputKind::kDense ? spec.num_inputs : 0));
    std::iota(every_input_.begin(), every_input_.end(), 0U);
  }
  scaled_.resize(spec.input == InputKind::kDense ? spec.num_inputs : 0);
  features_.resize(spec.dim);
  outputs_.resize(spec.dim);
}

// features += act(sum of the layer's rows times values + bias)
void ExampleEncoder::add_layer(std::size_t layer, std::span<const std::uint32_t> rows,
                               std::span<const float> values) {
  const EncoderView::Layer& weights = view_.layers[layer];
  std::copy(weights.bias.begin(), weights.bias.end(), outputs_.begin());
  kernels::add_weighted_rows({weights.weights.data(), view_.spec.dim, rows, values},
                             outputs_.data());
  for (std::size_t i = 0; i < features_.size(); ++i) {
    features_[i] += activate(view_.spec.activation, outputs_[i]).value;
  }
}

std::span<const float> ExampleEncoder::encode(const SparseRow& input) {
  require(view_.spec.input == InputKind::kSparse, "the encoder takes dense vectors");
  const auto end = std::lower_bound(input.columns.begin(), input.columns.end(),
                                    static_cast<std::uint32_t>(view_.spec.num_inputs));
  const auto known = static_cast<std::size_t>(end - input.columns.begin());
  std::fill(features_.begin(), features_.end(), 0.0F);
  add_layer(0, input.columns.first(known), input.values.first(known));
  return finish();
}

std::span<const float> ExampleEncoder::encode(std::span<const float> input) {
  const EncoderSpec& spec = view_.spec;
  require(spec.input == InputKind::kDense, "the encoder takes sparse vectors");
  require(input.size() == spec.num_inputs, "a vector of {} numbers; expected {}", input.size(),
          spec.num_inputs);
  for (std::size_t i = 0; i < input.size(); ++i) {
    scaled_[i] = tame((input[i] - view_.mean[i]) * view_.scale[i]);
  }
  if (spec.layers == 0) {
    std::copy(scaled_.begin(), scaled_.end(), features_.begin());
  } else {
    std::fill(features_.begin(), features_.end(), 0.0F);
    add_layer(0, std::span(every_input_).first(spec.num_inputs), scaled_);
  }
  return finish();
}

std::span<const float> ExampleEncoder::finish() {
  const EncoderSpec& spec = view_.spec;
  for (std::size_t layer = 1; layer < spec.layers; ++layer) {
    add_layer(layer, std::span(every_input_).first(spec.dim), features_);
  }
  for (float& feature : features_) feature = tame(feature);
  if (spec.normalize) normalize_l2(features_);
  return features_;
}

}  // namespace mhe::encoders

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>
#include <vector>

#include "encoders/mlp_spec.h"
#include "kernels/rows.h"
#include "matrix/normalize.h"

namespace mhe::encoders {
namespace {

// Far beyond any feature that a sound encoder gives, and products of two of them still fit a float.
constexpr float kMostFeature = 1e9F;

float tame(float value) noexcept {
  return std::isfinite(value) ? std::clamp(value, -kMostFeature, kMostFeature) : 0.0F;
}

class MlpBatchEncoder final : public BatchEncoder {
 public:
  explicit MlpBatchEncoder(const EncoderView& view)
      : BatchEncoder(view.spec), own_(std::get<MlpSpec>(view.spec.own)) {
    const bool is_dense = spec().input == InputKind::kDense;
    std::size_t next = 0;
    if (is_dense) {
      mean_ = view.tensors[next++].values;
      scale_ = view.tensors[next++].values;
      scaled_.resize(spec().num_inputs);
    }
    for (std::size_t i = 0; i < own_.layers; ++i, next += 2) {
      layers_.push_back({view.tensors[next].values, view.tensors[next + 1].values});
    }
    if (is_dense || own_.layers > 1) {
      every_input_.resize(std::max(spec().dim, is_dense ? spec().num_inputs : 0));
      std::iota(every_input_.begin(), every_input_.end(), 0U);
    }
    outputs_.resize(spec().dim);
  }

 private:
  struct Layer {
    std::span<const float> weights;  // [input][dim]
    std::span<const float> bias;     // [dim]
  };

  MatrixView run(const InputBatch& batch) override {
    const std::size_t dim = spec().dim;
    features_.assign(size_of(batch) * dim, 0.0F);
    std::span<float> left = features_;
    const auto encode_rows = [&](const auto& rows) {
      for (const auto& row : rows) {
        add_first_layer(row, left.first(dim));
        finish(left.first(dim));
        left = left.subspan(dim);
      }
    };
    if (const auto* sparse = std::get_if<SparseRows>(&batch)) {
      encode_rows(sparse->rows);
    } else {
      encode_rows(std::get<DenseRows>(batch).rows);
    }
    return {features_.data(), size_of(batch), dim};
  }

  // features += act(sum of the layer's rows times values + bias)
  void add_layer(std::size_t layer, std::span<const std::uint32_t> rows,
                 std::span<const float> values, std::span<float> features) {
    const Layer& weights = layers_[layer];
    std::copy(weights.bias.begin(), weights.bias.end(), outputs_.begin());
    kernels::add_weighted_rows({weights.weights.data(), spec().dim, rows, values}, outputs_.data());
    for (std::size_t i = 0; i < features.size(); ++i) {
      features[i] += activate(own_.activation, outputs_[i]).value;
    }
  }

  void add_first_layer(const SparseRow& row, std::span<float> features) {
    const auto end = std::lower_bound(row.columns.begin(), row.columns.end(),
                                      static_cast<std::uint32_t>(spec().num_inputs));
    const auto known = static_cast<std::size_t>(end - row.columns.begin());
    add_layer(0, row.columns.first(known), row.values.first(known), features);
  }

  void add_first_layer(DenseRow row, std::span<float> features) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      scaled_[i] = tame((row[i] - mean_[i]) * scale_[i]);
    }
    if (own_.layers == 0) {
      std::copy(scaled_.begin(), scaled_.end(), features.begin());
    } else {
      add_layer(0, std::span(every_input_).first(row.size()), scaled_, features);
    }
  }

  void finish(std::span<float> features) {
    for (std::size_t layer = 1; layer < own_.layers; ++layer) {
      add_layer(layer, std::span(every_input_).first(spec().dim), features, features);
    }
    for (float& feature : features) feature = tame(feature);
    if (own_.normalize) normalize_l2(features);
  }

  MlpSpec own_;
  std::span<const float> mean_;   // dense input: what is taken off
  std::span<const float> scale_;  // dense input: what it is then multiplied by
  std::vector<Layer> layers_;
  std::vector<std::uint32_t> every_input_;  // 0, 1, 2, ...
  std::vector<float> scaled_;
  std::vector<float> outputs_;
  std::vector<float> features_;
};

}  // namespace

std::unique_ptr<BatchEncoder> open_mlp(const EncoderView& view) {
  return std::make_unique<MlpBatchEncoder>(view);
}

}  // namespace mhe::encoders

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/mlp_encoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "encoders/mlp_spec.h"
#include "kernels/rows.h"
#include "matrix/normalize.h"

namespace mhe::encoders {
namespace {

constexpr std::size_t kGrain = 16;  // examples a block of element-wise work

// Multipliers of dropout for one example: 0, or what makes up for those that are 0.
void fill_dropout(const Context& context, const EncoderStep& step, std::size_t layer,
                  std::size_t example, std::span<float> kept) {
  RandomStream random(context.seed(), "encoder.dropout",
                      (step.number << 24U) ^ (static_cast<std::uint64_t>(layer) << 18U) ^ example);
  const auto threshold = static_cast<std::uint64_t>(step.dropout * 65536);
  const std::array<float, 2> multipliers = {1 / (1 - step.dropout), 0};
  constexpr std::size_t kOfOneDraw = 4;  // sixteen bits decide
  for (std::size_t i = 0; i < kept.size(); i += kOfOneDraw) {
    std::uint64_t bits = random();
    const std::size_t end = std::min(kept.size(), i + kOfOneDraw);
    for (std::size_t j = i; j < end; ++j, bits >>= 16U) {
      kept[j] = multipliers[(bits & 0xFFFFU) < threshold ? 1 : 0];
    }
  }
}

}  // namespace

MlpEncoder::MlpEncoder(const Context& context, const EncoderSpec& spec,
                       const EncoderOptimizer& optimizer, InputScaling scaling)
    : Encoder(spec),
      own_(std::get<MlpSpec>(spec.own)),
      num_inputs_(spec.num_inputs),
      dim_(spec.dim),
      optimizer_(optimizer),
      scaling_(std::move(scaling)),
      tapes_(own_.layers) {
  const bool is_sparse = spec.input == InputKind::kSparse;
  const std::size_t scaled = is_sparse ? 0 : num_inputs_;
  require(scaling_.mean.size() == scaled && scaling_.scale.size() == scaled,
          "a scaling of {} inputs; expected {}", scaling_.mean.size(), scaled);
  if (is_sparse) table_.emplace(context, num_inputs_, dim_, optimizer_.table.rule);
  for (std::size_t i = is_sparse ? 1 : 0; i < own_.layers; ++i) {
    layers_.emplace_back(context, i == 0 ? num_inputs_ : dim_, dim_, i);
  }
}

MatrixView MlpEncoder::inputs_of(std::size_t layer) const {
  if (layer == 0) return {scaled_.data(), rows_, num_inputs_};
  return {tapes_[layer - 1].outputs.data(), rows_, dim_};
}

void MlpEncoder::gather(const Context& context, std::span<const DenseRow> inputs) {
  scaled_.resize(inputs.size() * num_inputs_);
  parallel_blocks(context, inputs.size(), kGrain, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row) {
      float* const out = scaled_.data() + row * num_inputs_;
      for (std::size_t i = 0; i < num_inputs_; ++i) {
        out[i] = (inputs[row][i] - scaling_.mean[i]) * scaling_.scale[i];
      }
    }
  });
}

// Without layers the scaled inputs are the features: what a last layer would drop is dropped here.
void MlpEncoder::drop_inputs(const Context& context, const EncoderStep& step) {
  parallel_blocks(context, rows_, kGrain, [&](const Block& block) {
    std::vector<float> kept(num_inputs_);
    for (std::size_t row = block.begin; row < block.end; ++row) {
      fill_dropout(context, step, 0, row, kept);
      float* const inputs = scaled_.data() + row * num_inputs_;
      for (std::size_t i = 0; i < num_inputs_; ++i) inputs[i] *= kept[i];
    }
  });
}

// Turns what a layer gave, in its tape, into activations, and adds those before it.
void MlpEncoder::activate_layer(const Context& context, std::size_t layer,
                                const EncoderStep& step) {
  Tape& tape = tapes_[layer];
  tape.slopes.resize(tape.outputs.size());
  const float* const before = layer == 0 ? nullptr : tapes_[layer - 1].outputs.data();
  parallel_blocks(context, rows_, kGrain, [&](const Block& block) {
    std::vector<float> kept(dim_, 1.0F);
    for (std::size_t row = block.begin; row < block.end; ++row) {
      if (step.dropout > 0) fill_dropout(context, step, layer, row, kept);
      float* const outputs = tape.outputs.data() + row * dim_;
      float* const slopes = tape.slopes.data() + row * dim_;
      for (std::size_t i = 0; i < dim_; ++i) {
        const Activated activated = activate(own_.activation, outputs[i]);
        slopes[i] = activated.slope * kept[i];
        outputs[i] = activated.value * kept[i];
      }
      if (before != nullptr) kernels::add_row(outputs, before + row * dim_, dim_);
    }
  });
}

MatrixView MlpEncoder::run(const Context& context, const InputBatch& batch,
                           const EncoderStep& step) {
  batch_ = batch;
  rows_ = size_of(batch);
  if (!table_) gather(context, std::get<DenseRows>(batch).rows);
  if (own_.layers == 0 && step.dropout > 0) drop_inputs(context, step);
  for (std::size_t layer = 0; layer < own_.layers; ++layer) {
    tapes_[layer].outputs.resize(rows_ * dim_);
    const MatrixSpan outputs = {tapes_[layer].outputs.data(), rows_, dim_};
    if (layer == 0 && table_) {
      table_->forward(context, std::get<SparseRows>(batch).rows, outputs);
    } else {
      dense_layer(layer).forward(context, inputs_of(layer), outputs);
    }
    activate_layer(context, layer, step);
  }
  if (!own_.normalize) return inputs_of(own_.layers);
  normalize_features(context);
  return {features_.data(), rows_, dim_};
}

void MlpEncoder::normalize_features(const Context& context) {
  const MatrixView from = inputs_of(own_.layers);
  features_.resize(from.size());
  scales_.resize(from.num_rows);
  parallel_blocks(context, from.num_rows, kGrain, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row) {
      const std::span<float> features = std::span(features_).subspan(row * dim_, dim_);
      std::copy(from[row].begin(), from[row].end(), features.begin());
      scales_[row] = normalize_l2(features);
    }
  });
}

// For y = h / |h|: dh = (dy - y (y . dy)) / |h|.
void MlpEncoder::backward_normalize(const Context& context) {
  parallel_blocks(context, scales_.size(), kGrain, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row) {
      float* const gradient = gradient_.data() + row * dim_;
      const float* const feature = features_.data() + row * dim_;
      double dot = 0;
      for (std::size_t i = 0; i < dim_; ++i) {
        dot += static_cast<double>(gradient[i]) * feature[i];
      }
      for (std::size_t i = 0; i < dim_; ++i) {
        gradient[i] = scales_[row] * (gradient[i] - static_cast<float>(dot) * feature[i]);
      }
    }
  });
}

void MlpEncoder::multiply_by_slopes(const Context& context, const Tape& tape) {
  by_linear_.resize(gradient_.size());
  parallel_blocks(context, gradient_.size(), kGrain * dim_, [&](const Block& block) {
    for (std::size_t i = block.begin; i < block.end; ++i) {
      by_linear_[i] = gradient_[i] * tape.slopes[i];
    }
  });
}

void MlpEncoder::backward(const Context& context, MatrixView gradient, const EncoderStep& step) {
  MHE_ASSERT(gradient.num_rows == rows_ && gradient.num_columns == dim_);
  if (own_.layers == 0) return;
  gradient_.assign(gradient.data, gradient.data + gradient.size());
  if (own_.normalize) backward_normalize(context);
  const LayerStep layer_step = {step.layer_rate, step.number};
  for (std::size_t layer = own_.layers; layer-- > 0;) {
    multiply_by_slopes(context, tapes_[layer]);
    const MatrixView by_linear = {by_linear_.data(), rows_, dim_};
    if (layer == 0 && table_) {
      table_->update(context, std::get<SparseRows>(batch_).rows, by_linear, optimizer_.table,
                     step.table_rate);
      table_->update_bias(by_linear, optimizer_.layers, layer_step);
      return;
    }
    // What goes back uses the weights as they were on the way forward.
    DenseLayer& weights = dense_layer(layer);
    if (layer > 0) {
      weights.add_input_gradient(context, by_linear, {gradient_.data(), rows_, dim_});
    }
    weights.update(context, inputs_of(layer), by_linear, optimizer_.layers, layer_step);
  }
}

void MlpEncoder::end_training() {
  batch_ = {};
  tapes_ = std::vector<Tape>(own_.layers);
  for (std::vector<float>* values : {&scaled_, &features_, &scales_, &gradient_, &by_linear_}) {
    *values = std::vector<float>();
  }
  if (table_) table_->end_training();
  for (DenseLayer& layer : layers_) {
    layer.weight_parameters().first = std::vector<float>();
    layer.weight_parameters().second = std::vector<float>();
  }
}

void MlpEncoder::visit_state(const std::function<void(const StateArray&)>& visit) {
  const auto add = [&](const std::string& name, std::vector<float>& values, bool is_parameter) {
    visit({name, values, is_parameter});
  };
  if (!table_) {
    add("input.mean", scaling_.mean, true);
    add("input.scale", scaling_.scale, true);
  }
  for (std::size_t layer = 0; layer < own_.layers; ++layer) {
    const std::string name = fmt::format("layer{}.", layer);
    const bool is_table = layer == 0 && table_;
    Parameters& bias = is_table ? table_->bias() : dense_layer(layer).bias();
    if (is_table) {
      add(name + "weights", table_->rows(), true);
      add(name + "bias", bias.values, true);
      add(name + "row_state", table_->row_state(), false);
    } else {
      Parameters& weights = dense_layer(layer).weight_parameters();
      add(name + "weights", weights.values, true);
      add(name + "bias", bias.values, true);
      add(name + "weights.first", weights.first, false);
      add(name + "weights.second", weights.second, false);
    }
    add(name + "bias.first", bias.first, false);
    add(name + "bias.second", bias.second, false);
  }
}

std::vector<EncoderTensor> MlpEncoder::tensors() const {
  std::vector<std::span<const float>> values;
  if (table_) {
    values = {table_->rows(), table_->bias().values};
  } else {
    values = {scaling_.mean, scaling_.scale};
  }
  for (const DenseLayer& layer : layers_) {
    values.emplace_back(layer.weight_parameters().values);
    values.emplace_back(layer.bias().values);
  }
  std::vector<EncoderTensor> tensors;
  for (TensorShape& shape : mlp_tensor_shapes(spec())) {
    tensors.push_back({std::move(shape), values[tensors.size()]});
  }
  return tensors;
}

}  // namespace mhe::encoders

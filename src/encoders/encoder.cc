// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/encoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "encoders/activation.h"
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

void check_batch(const EncoderSpec& spec, const InputBatch& batch) {
  const bool is_sparse = spec.input == InputKind::kSparse;
  require(is_sparse ? batch.dense.empty() : batch.sparse.empty(), "the encoder takes {} vectors",
          is_sparse ? "sparse" : "dense");
  for (const SparseRow& row : batch.sparse) {
    require(row.columns.empty() || row.columns.back() < spec.num_inputs,
            "feature {} is out of range; there are {}", row.columns.back(), spec.num_inputs);
  }
  for (const std::span<const float> row : batch.dense) {
    require(row.size() == spec.num_inputs, "a vector of {} numbers; expected {}", row.size(),
            spec.num_inputs);
  }
}

}  // namespace

InputScaling measure_scaling(const Context& context, const DenseMatrix& inputs) {
  const std::size_t rows = inputs.rows();
  InputScaling scaling = {std::vector<float>(inputs.num_columns),
                          std::vector<float>(inputs.num_columns)};
  constexpr std::size_t kColumnGrain = 64;  // columns a block, so that a line is read whole
  parallel_blocks(context, inputs.num_columns, kColumnGrain, [&](const Block& block) {
    std::vector<double> sums(block.end - block.begin, 0.0);
    std::vector<double> squares(sums.size(), 0.0);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const double value = inputs[row][block.begin + i];
        sums[i] += value;
        squares[i] += value * value;
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double mean = sums[i] / static_cast<double>(rows);
      const double variance = std::max(0.0, squares[i] / static_cast<double>(rows) - mean * mean);
      // What is left of a constant column is rounding.
      const bool varies = variance > 1e-12 * mean * mean;
      scaling.mean[block.begin + i] = static_cast<float>(mean);
      scaling.scale[block.begin + i] = varies ? static_cast<float>(1 / std::sqrt(variance)) : 0.0F;
    }
  });
  return scaling;
}

Encoder::Encoder(const Context& context, const EncoderSpec& spec, const EncoderOptimizer& optimizer,
                 InputScaling scaling)
    : spec_(spec), optimizer_(optimizer), scaling_(std::move(scaling)) {
  validate(spec);
  const bool is_sparse = spec.input == InputKind::kSparse;
  const std::size_t scaled = is_sparse ? 0 : spec.num_inputs;
  require(scaling_.mean.size() == scaled && scaling_.scale.size() == scaled,
          "a scaling of {} inputs; expected {}", scaling_.mean.size(), scaled);
  if (is_sparse) table_.emplace(context, spec.num_inputs, spec.dim);
  for (std::size_t i = is_sparse ? 1 : 0; i < spec.layers; ++i) {
    layers_.emplace_back(context, i == 0 ? spec.num_inputs : spec.dim, spec.dim, i);
  }
  tapes_.resize(spec.layers);
}

DenseLayer& Encoder::dense_layer(std::size_t layer) noexcept {
  return layers_[layer - (table_ ? 1 : 0)];
}

MatrixView Encoder::inputs_of(std::size_t layer) const {
  if (layer == 0) return {scaled_.data(), batch_.size(), spec_.num_inputs};
  return {tapes_[layer - 1].outputs.data(), batch_.size(), spec_.dim};
}

void Encoder::gather(const Context& context, std::span<const std::span<const float>> inputs) {
  scaled_.resize(inputs.size() * spec_.num_inputs);
  parallel_blocks(context, inputs.size(), kGrain, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row) {
      float* const out = scaled_.data() + row * spec_.num_inputs;
      for (std::size_t i = 0; i < spec_.num_inputs; ++i) {
        out[i] = (inputs[row][i] - scaling_.mean[i]) * scaling_.scale[i];
      }
    }
  });
}

// Turns what a layer gave, in its tape, into activations, and adds those before it.
void Encoder::activate_layer(const Context& context, std::size_t layer, const EncoderStep& step) {
  Tape& tape = tapes_[layer];
  tape.slopes.resize(tape.outputs.size());
  const float* const before = layer == 0 ? nullptr : tapes_[layer - 1].outputs.data();
  parallel_blocks(context, batch_.size(), kGrain, [&](const Block& block) {
    std::vector<float> kept(spec_.dim, 1.0F);
    for (std::size_t row = block.begin; row < block.end; ++row) {
      if (step.dropout > 0) fill_dropout(context, step, layer, row, kept);
      float* const outputs = tape.outputs.data() + row * spec_.dim;
      float* const slopes = tape.slopes.data() + row * spec_.dim;
      for (std::size_t i = 0; i < spec_.dim; ++i) {
        const Activated activated = activate(spec_.activation, outputs[i]);
        slopes[i] = activated.slope * kept[i];
        outputs[i] = activated.value * kept[i];
      }
      if (before != nullptr) kernels::add_row(outputs, before + row * spec_.dim, spec_.dim);
    }
  });
}

MatrixView Encoder::forward(const Context& context, const InputBatch& batch,
                            const EncoderStep& step) {
  check_batch(spec_, batch);
  require(step.dropout >= 0 && step.dropout < 1, "dropout {}; expected 0 to less than 1",
          step.dropout);
  batch_ = batch;
  if (!table_) gather(context, batch.dense);
  for (std::size_t layer = 0; layer < spec_.layers; ++layer) {
    tapes_[layer].outputs.resize(batch.size() * spec_.dim);
    const MatrixSpan outputs = {tapes_[layer].outputs.data(), batch.size(), spec_.dim};
    if (layer == 0 && table_) {
      table_->forward(context, batch.sparse, outputs);
    } else {
      dense_layer(layer).forward(context, inputs_of(layer), outputs);
    }
    activate_layer(context, layer, step);
  }
  if (!spec_.normalize) return inputs_of(spec_.layers);
  normalize_features(context);
  return {features_.data(), batch.size(), spec_.dim};
}

void Encoder::normalize_features(const Context& context) {
  const MatrixView from = inputs_of(spec_.layers);
  features_.resize(from.size());
  scales_.resize(from.num_rows);
  parallel_blocks(context, from.num_rows, kGrain, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row) {
      const std::span<float> features = std::span(features_).subspan(row * spec_.dim, spec_.dim);
      std::copy(from[row].begin(), from[row].end(), features.begin());
      scales_[row] = normalize_l2(features);
    }
  });
}

// For y = h / |h|: dh = (dy - y (y . dy)) / |h|.
void Encoder::backward_normalize(const Context& context) {
  parallel_blocks(context, scales_.size(), kGrain, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row) {
      float* const gradient = gradient_.data() + row * spec_.dim;
      const float* const feature = features_.data() + row * spec_.dim;
      double dot = 0;
      for (std::size_t i = 0; i < spec_.dim; ++i) {
        dot += static_cast<double>(gradient[i]) * feature[i];
      }
      for (std::size_t i = 0; i < spec_.dim; ++i) {
        gradient[i] = scales_[row] * (gradient[i] - static_cast<float>(dot) * feature[i]);
      }
    }
  });
}

void Encoder::multiply_by_slopes(const Context& context, const Tape& tape) {
  by_linear_.resize(gradient_.size());
  parallel_blocks(context, gradient_.size(), kGrain * spec_.dim, [&](const Block& block) {
    for (std::size_t i = block.begin; i < block.end; ++i) {
      by_linear_[i] = gradient_[i] * tape.slopes[i];
    }
  });
}

void Encoder::backward(const Context& context, MatrixView gradient, const EncoderStep& step) {
  MHE_ASSERT(gradient.num_rows == batch_.size() && gradient.num_columns == spec_.dim);
  if (spec_.layers == 0) return;
  gradient_.assign(gradient.data, gradient.data + gradient.size());
  if (spec_.normalize) backward_normalize(context);
  const LayerStep layer_step = {step.layer_rate, step.number};
  for (std::size_t layer = spec_.layers; layer-- > 0;) {
    multiply_by_slopes(context, tapes_[layer]);
    const MatrixView by_linear = {by_linear_.data(), batch_.size(), spec_.dim};
    if (layer == 0 && table_) {
      table_->update(context, batch_.sparse, by_linear, optimizer_.table, step.table_rate);
      table_->update_bias(by_linear, optimizer_.layers, layer_step);
      return;
    }
    // What goes back uses the weights as they were on the way forward.
    DenseLayer& weights = dense_layer(layer);
    if (layer > 0) {
      weights.add_input_gradient(context, by_linear, {gradient_.data(), batch_.size(), spec_.dim});
    }
    weights.update(context, inputs_of(layer), by_linear, optimizer_.layers, layer_step);
  }
}

void Encoder::end_training() {
  batch_ = {};
  tapes_ = std::vector<Tape>(spec_.layers);
  for (std::vector<float>* values : {&scaled_, &features_, &scales_, &gradient_, &by_linear_}) {
    *values = std::vector<float>();
  }
  if (table_) table_->release_scratch();
  for (DenseLayer& layer : layers_) {
    layer.weight_parameters().first = std::vector<float>();
    layer.weight_parameters().second = std::vector<float>();
  }
}

std::vector<EncoderArray> Encoder::arrays() {
  std::vector<EncoderArray> arrays;
  const std::vector<ParameterShape> shapes = parameter_shapes(spec_);
  std::size_t next = 0;
  const auto add = [&](std::span<float> values) {
    arrays.push_back({shapes[next].name, shapes[next].shape, values});
    ++next;
  };
  const auto add_state = [&](const std::string& name, std::span<float> values) {
    arrays.push_back({name, {values.size()}, values, false});
  };
  if (!table_) {
    add(scaling_.mean);
    add(scaling_.scale);
  }
  for (std::size_t layer = 0; layer < spec_.layers; ++layer) {
    const bool is_table = layer == 0 && table_;
    Parameters& bias = is_table ? table_->bias() : dense_layer(layer).bias();
    add(is_table ? table_->rows() : dense_layer(layer).weight_parameters().values);
    add(bias.values);
    if (is_table) {
      add_state(fmt::format("layer{}.row_state", layer), table_->row_state());
    } else {
      add_state(fmt::format("layer{}.weights.first", layer),
                dense_layer(layer).weight_parameters().first);
      add_state(fmt::format("layer{}.weights.second", layer),
                dense_layer(layer).weight_parameters().second);
    }
    add_state(fmt::format("layer{}.bias.first", layer), bias.first);
    add_state(fmt::format("layer{}.bias.second", layer), bias.second);
  }
  return arrays;
}

EncoderView Encoder::view() {
  const std::vector<EncoderArray> arrays = this->arrays();
  return make_view(spec_, [&](const ParameterShape& expected) -> std::span<const float> {
    const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const EncoderArray& array) {
      return array.name == expected.name;
    });
    MHE_ASSERT(found != arrays.end());
    return found->values;
  });
}

}  // namespace mhe::encoders

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "encoders/mlp_encoder.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/input.h>

#include "base/random.h"
#include "encoders/registry.h"
#include "row_source.h"

namespace mhe::encoders {
namespace {

constexpr std::size_t kRows = 7;

// Random inputs of both forms.
struct Inputs {
  SparseMatrix sparse;
  DenseMatrix dense;
  std::vector<SparseRow> sparse_rows;
  std::vector<DenseRow> dense_rows;

  explicit Inputs(std::size_t num_inputs) {
    RandomStream random(5, "encoder_test");
    sparse.num_columns = dense.num_columns = num_inputs;
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::uint32_t i = 0; i < num_inputs; ++i) {
        const auto value = static_cast<float>(2 * random.uniform() - 1);
        dense.values.push_back(value);
        if (random.below(3) == 0) continue;
        sparse.columns.push_back(i);
        sparse.values.push_back(value);
      }
      sparse.end_row();
    }
    for (std::size_t row = 0; row < kRows; ++row) {
      sparse_rows.push_back(sparse[row]);
      dense_rows.push_back(dense[row]);
    }
  }
  [[nodiscard]] InputBatch batch(InputKind form) const {
    if (form == InputKind::kSparse) return SparseRows{sparse_rows};
    return DenseRows{dense_rows};
  }
  [[nodiscard]] InputBatch row(InputKind form, std::size_t row) const {
    if (form == InputKind::kSparse) return SparseRows{std::span(sparse_rows).subspan(row, 1)};
    return DenseRows{std::span(dense_rows).subspan(row, 1)};
  }
};

EncoderSpec make_spec(InputKind form, std::size_t layers, bool normalize, Activation activation) {
  return {.kind = form == InputKind::kSparse ? EncoderKind::kBag : EncoderKind::kDense,
          .input = form,
          .num_inputs = 9,
          .dim = layers == 0 ? std::size_t{9} : std::size_t{6},
          .own = MlpSpec{layers, activation, normalize}};
}

// Plain steps of size 1: a parameter then moves by its gradient.
EncoderOptimizer plain() {
  EncoderOptimizer optimizer;
  optimizer.table.rule = TableRule::kSgd;
  optimizer.layers.rule = LayerRule::kSgd;
  optimizer.layers.momentum = 0;
  return optimizer;
}

std::unique_ptr<Encoder> make_for(const Context& context, const EncoderSpec& spec,
                                  const Inputs& inputs, const EncoderOptimizer& optimizer) {
  testing::RowSource rows(inputs.batch(spec.input));
  return make_encoder(context, spec, optimizer, rows);
}

// An array with a name of its own.
struct Array {
  std::string name;
  std::span<float> values;
  bool is_parameter = true;
};

std::vector<Array> arrays_of(Encoder& encoder) {
  std::vector<Array> arrays;
  encoder.visit_state([&](const Encoder::StateArray& array) {
    arrays.push_back({std::string(array.name), array.values, array.is_parameter});
  });
  return arrays;
}

// Biases begin at 0, where an example of no features stands on the corner of every rectifier.
void move_biases(Encoder& encoder) {
  RandomStream random(6, "encoder_test.bias");
  for (const Array& array : arrays_of(encoder)) {
    if (!array.name.ends_with("bias")) continue;
    for (float& value : array.values) value = static_cast<float>(random.uniform() - 0.5);
  }
}

// A loss whose gradient by the features is known: sum of c_i f_i + f_i^2 / 2.
double loss_of(MatrixView features, std::vector<float>* gradient) {
  double loss = 0;
  if (gradient != nullptr) gradient->resize(features.size());
  for (std::size_t i = 0; i < features.size(); ++i) {
    const double c = std::sin(static_cast<double>(i));
    const double f = features.data[i];
    loss += c * f + f * f / 2;
    if (gradient != nullptr) (*gradient)[i] = static_cast<float>(c + f);
  }
  return loss;
}

// A test's parameter is printed with its name, and the bytes of a struct are not the same in every
// run, so the parameter is a number.
EncoderSpec spec_number(std::size_t number) {
  const EncoderSpec specs[] = {make_spec(InputKind::kSparse, 1, false, Activation::kGelu),
                               make_spec(InputKind::kSparse, 1, true, Activation::kGelu),
                               make_spec(InputKind::kSparse, 3, false, Activation::kGelu),
                               make_spec(InputKind::kSparse, 2, false, Activation::kRelu),
                               make_spec(InputKind::kDense, 1, false, Activation::kRelu),
                               make_spec(InputKind::kDense, 3, true, Activation::kGelu)};
  return specs[number];
}

class EncoderGradient : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EncoderGradient, AgreesWithFiniteDifferences) {
  const EncoderSpec spec = spec_number(GetParam());
  const Context context({.threads = 2});
  const Inputs inputs(spec.num_inputs);
  const InputBatch batch = inputs.batch(spec.input);
  const EncoderStep step = {.table_rate = 1, .layer_rate = 1, .dropout = 0.25F, .number = 3};
  const auto moved = make_for(context, spec, inputs, plain());
  move_biases(*moved);
  std::vector<float> gradient;
  const MatrixView features = moved->forward(context, batch, step);
  (void)loss_of(features, &gradient);
  moved->backward(context, {gradient.data(), features.num_rows, features.num_columns}, step);
  const std::vector<Array> after = arrays_of(*moved);

  const auto probe = make_for(context, spec, inputs, plain());
  move_biases(*probe);
  const std::vector<Array> before = arrays_of(*probe);
  for (std::size_t a = 0; a < before.size(); ++a) {
    if (!before[a].is_parameter || before[a].name.starts_with("input.")) continue;
    for (std::size_t i = 0; i < before[a].values.size(); ++i) {
      float& value = before[a].values[i];
      const float start = value;
      constexpr float kStep = 4e-3F;
      value = start + kStep;
      const double above = loss_of(probe->forward(context, batch, step), nullptr);
      value = start - kStep;
      const double below = loss_of(probe->forward(context, batch, step), nullptr);
      value = start;
      const double expected = (above - below) / (2.0 * kStep);
      const double found = static_cast<double>(start) - after[a].values[i];
      // Losses of some 10 in float differ by 1e-6 or so, over steps of 2e-3: 1e-3. A rectifier
      // that a step carries over its corner is not met with these inputs.
      EXPECT_NEAR(found, expected, 5e-3 * std::max(1.0, std::abs(expected)))
          << before[a].name << " " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, EncoderGradient, ::testing::Range<std::size_t>(0, 6));

std::vector<float> trained(std::size_t threads, const EncoderSpec& spec,
                           const EncoderOptimizer& optimizer) {
  const Context context({.threads = threads});
  const Inputs inputs(spec.num_inputs);
  const auto encoder = make_for(context, spec, inputs, optimizer);
  for (std::uint64_t number = 0; number < 4; ++number) {
    const EncoderStep step = {.dropout = 0.1F, .number = number};
    const MatrixView features = encoder->forward(context, inputs.batch(spec.input), step);
    std::vector<float> gradient;
    (void)loss_of(features, &gradient);
    encoder->backward(context, {gradient.data(), features.num_rows, features.num_columns}, step);
  }
  std::vector<float> all;
  for (const Array& array : arrays_of(*encoder)) {
    all.insert(all.end(), array.values.begin(), array.values.end());
  }
  return all;
}

TEST(Encoder, IsTheSameForAnyNumberOfThreads) {
  for (const InputKind form : {InputKind::kSparse, InputKind::kDense}) {
    const EncoderSpec spec = make_spec(form, 2, true, Activation::kGelu);
    EXPECT_EQ(trained(1, spec, {}), trained(3, spec, {}));
  }
}

TEST(Encoder, LearnsWithEveryRule) {
  for (const TableRule table : {TableRule::kSgd, TableRule::kAdagrad, TableRule::kAdam,
                                TableRule::kMomentum, TableRule::kNesterov, TableRule::kAdamW}) {
    for (const LayerRule layers : {LayerRule::kSgd, LayerRule::kNesterov, LayerRule::kAdamW}) {
      const EncoderSpec spec = make_spec(InputKind::kSparse, 2, false, Activation::kRelu);
      EncoderOptimizer optimizer;
      optimizer.table.rule = table;
      optimizer.layers.rule = layers;
      const Context context({.threads = 1});
      const Inputs inputs(spec.num_inputs);
      const auto encoder = make_for(context, spec, inputs, optimizer);
      std::vector<double> losses;
      for (std::uint64_t number = 0; number < 20; ++number) {
        const EncoderStep step = {.table_rate = 0.02F, .layer_rate = 0.005F, .number = number};
        const MatrixView features = encoder->forward(context, inputs.batch(spec.input), step);
        std::vector<float> gradient;
        losses.push_back(loss_of(features, &gradient));
        encoder->backward(context, {gradient.data(), features.num_rows, features.num_columns},
                          step);
      }
      EXPECT_LT(losses.back(), losses.front());
    }
  }
}

// The frozen-features case: inputs of rows that are kept make up for those that are not.
TEST(Encoder, DropsFeaturesThatNoLayerMade) {
  const EncoderSpec spec = make_spec(InputKind::kDense, 0, false, Activation::kRelu);
  const Inputs inputs(spec.num_inputs);
  std::vector<float> first;
  for (const std::size_t threads : {1U, 3U}) {
    const Context context({.threads = threads, .seed = 4});
    const auto encoder = make_for(context, spec, inputs, {});
    const auto features_of = [&](const EncoderStep& step) {
      const MatrixView view = encoder->forward(context, inputs.batch(spec.input), step);
      return std::vector<float>(view.data, view.data + view.size());
    };
    const std::vector<float> whole = features_of({.dropout = 0});
    const std::vector<float> dropped = features_of({.dropout = 0.5F, .number = 1});
    std::size_t num_kept = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      num_kept += dropped[i] != 0 ? 1 : 0;
      EXPECT_TRUE(dropped[i] == 0 || dropped[i] == 2 * whole[i]) << i;
    }
    EXPECT_GT(num_kept, whole.size() / 4);
    EXPECT_LT(num_kept, whole.size() * 3 / 4);
    EXPECT_NE(features_of({.dropout = 0.5F, .number = 2}), dropped);
    if (first.empty()) first = dropped;
    EXPECT_EQ(dropped, first) << threads << " threads";
  }
}

// What is trained and what is used later are the same numbers, to the bit.
TEST(Encoder, EncodesRowsAndBatchesAsInTraining) {
  for (const InputKind form : {InputKind::kSparse, InputKind::kDense}) {
    for (const auto& [layers, normalize] :
         {std::pair(0, false), std::pair(0, true), std::pair(1, false), std::pair(1, true),
          std::pair(3, false), std::pair(3, true)}) {
      if (form == InputKind::kSparse && layers == 0) continue;
      const EncoderSpec spec =
          make_spec(form, static_cast<std::size_t>(layers), normalize, Activation::kRelu);
      const Context context({.threads = 2});
      const Inputs inputs(spec.num_inputs);
      const auto encoder = make_for(context, spec, inputs, {});
      const MatrixView features = encoder->forward(context, inputs.batch(form), {.dropout = 0});
      const auto opened = open_encoder(encoder->view());
      const auto encode = [&](const InputBatch& batch) {
        const MatrixView encoded = opened->encode(batch);
        return std::vector<float>(encoded.data, encoded.data + encoded.size());
      };
      EXPECT_EQ(encode(inputs.batch(form)),
                std::vector<float>(features.data, features.data + features.size()));
      for (std::size_t row = 0; row < kRows; ++row) {
        EXPECT_EQ(encode(inputs.row(form, row)),
                  std::vector<float>(features[row].begin(), features[row].end()));
      }
    }
  }
}

TEST(BatchEncoder, IgnoresUnknownFeaturesAndTamesDamagedNumbers) {
  const EncoderSpec spec = make_spec(InputKind::kSparse, 1, false, Activation::kRelu);
  const std::vector<float> weights(spec.num_inputs * spec.dim, std::nanf(""));
  const std::vector<float> bias(spec.dim, 1.0F);
  const auto encoder = open_encoder(make_view(spec, [&](const TensorShape& shape) {
    return std::span<const float>(shape.name == "layer0.bias" ? bias : weights);
  }));
  const std::vector<std::uint32_t> columns = {2, 9, 4'000'000'000};
  const std::vector<float> values = {1, 1, 1};
  const SparseRow rows[] = {{columns, values},
                            {std::span(columns).subspan(1), std::span(values).first(2)}};
  const MatrixView features = encoder->encode(SparseRows{rows});
  for (const float feature : features[0]) EXPECT_TRUE(std::isfinite(feature));
  EXPECT_EQ(std::vector<float>(features[1].begin(), features[1].end()), bias);
}

TEST(Encoder, RefusesWhatDoesNotFit) {
  const Context context({.threads = 1});
  testing::RowSource no_rows((SparseRows()));
  EncoderSpec spec = make_spec(InputKind::kSparse, 0, false, Activation::kRelu);
  EXPECT_THROW((void)make_encoder(context, spec, {}, no_rows),
               Error);  // sparse input without a layer
  spec = make_spec(InputKind::kDense, 0, false, Activation::kRelu);
  EXPECT_THROW(MlpEncoder(context, spec, {}), Error);  // no scaling
  spec = make_spec(InputKind::kSparse, 1, false, Activation::kRelu);
  spec.kind = EncoderKind::kDense;
  EXPECT_THROW((void)make_encoder(context, spec, {}, no_rows), Error);  // the other input
  spec.kind = EncoderKind::kBag;
  const auto encoder = make_encoder(context, spec, {}, no_rows);
  const std::vector<std::uint32_t> columns = {9};
  const std::vector<float> values = {1};
  const SparseRow rows[] = {{columns, values}};
  EXPECT_THROW((void)encoder->forward(context, SparseRows{rows}, {}), Error);
  EXPECT_THROW((void)encoder->forward(context, DenseRows(), {}), Error);
}

}  // namespace
}  // namespace mhe::encoders

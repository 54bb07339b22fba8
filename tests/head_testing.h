// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches for heads with dense rows, and what every such head must keep to.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "head_reference.h"
#include "heads/dense_head.h"

namespace mhe::testing {

/// Where an order puts labels; without one, nothing.
inline Positions positions_of(const heads::HeadSetup& setup) {
  if (!setup.order) return {};
  return {setup.order->positions().begin(), setup.order->positions().end()};
}

/// Random features and labels and the memory behind them.
class RandomBatch {
 public:
  /// Examples have 1 .. max_labels labels, but the second has none if `with_empty`.
  RandomBatch(std::size_t size, std::size_t dim, std::size_t num_labels, std::size_t max_labels,
              std::uint64_t seed, bool with_empty = true)
      : dim_(dim), gradient_(size * dim), labels_(size) {
    RandomStream random(seed, "head_testing");
    for (std::size_t i = 0; i < size * dim; ++i) {
      features_.push_back(static_cast<float>(2 * random.uniform() - 1));
    }
    for (std::size_t e = 0; e < size; ++e) {
      const std::size_t count = with_empty && e == 1 ? 0 : 1 + random.below(max_labels);
      for (std::size_t i = 0; i < count; ++i) {
        labels_[e].push_back(LabelId{static_cast<std::uint32_t>(random.below(num_labels))});
      }
      std::sort(labels_[e].begin(), labels_[e].end());
      labels_[e].erase(std::unique(labels_[e].begin(), labels_[e].end()), labels_[e].end());
    }
    for (const std::vector<LabelId>& labels : labels_) spans_.emplace_back(labels);
  }

  [[nodiscard]] heads::HeadBatch view() const {
    return {{features_.data(), spans_.size(), dim_}, spans_};
  }
  [[nodiscard]] MatrixSpan gradient() { return {gradient_.data(), spans_.size(), dim_}; }
  [[nodiscard]] std::vector<float>& features() { return features_; }
  [[nodiscard]] const std::vector<float>& gradient_values() const { return gradient_; }

 private:
  std::size_t dim_;
  std::vector<float> features_;
  std::vector<float> gradient_;
  std::vector<std::vector<LabelId>> labels_;
  std::vector<std::span<const LabelId>> spans_;
};

/// All that training changes, one array after the other.
inline std::vector<float> state_of(heads::DenseHead& head) {
  std::vector<float> state;
  head.visit_state([&](const heads::DenseHead::StateArray& array) {
    state.insert(state.end(), array.values.begin(), array.values.end());
  });
  return state;
}

/// Sets the parameters, not the optimiser's state, to random numbers that make scores differ.
inline void randomize(heads::DenseHead& head, std::uint64_t seed) {
  RandomStream random(seed, "randomize");
  head.visit_state([&](const heads::DenseHead::StateArray& array) {
    if (!array.is_parameter) return;
    for (float& value : array.values) value = static_cast<float>(random.uniform() - 0.5);
  });
}

/// Loss and gradients equal the reference, and so do rows after a step of plain descent.
inline void expect_step_of(heads::DenseHead& head, const ReferenceResult& expected,
                           RandomBatch& batch, const Context& context, std::uint64_t number = 0) {
  // Sums of at most some hundred products below 1 in floats: 1e-5 is a hundred roundings.
  const double tolerance = 1e-5 * (1 + std::fabs(expected.loss));
  const heads::HeadStep step = {.learning_rate = 0.5F, .layer_rate = 0.5F, .number = number};
  ASSERT_NEAR(head.evaluate(context, batch.view(), step, batch.gradient()), expected.loss,
              tolerance);
  ASSERT_NEAR(head.step(context, batch.view(), step, batch.gradient()), expected.loss, tolerance);
  const std::size_t dim = head.spec().dim;
  for (std::size_t e = 0; e < expected.feature_gradients.size(); ++e) {
    for (std::size_t i = 0; i < dim; ++i) {
      ASSERT_NEAR(batch.gradient_values()[e * dim + i], expected.feature_gradients[e][i], 1e-5)
          << "example " << e;
    }
  }
  const ReferenceTables after = reference_tables(head);
  for (const auto& [name, table] : expected.tables) {
    const ReferenceTable& moved = after.at(name);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      ASSERT_NEAR(moved.rows[i], table.rows[i] - 0.5 * table.row_gradients[i], 1e-5)
          << name << " element " << i;
    }
    for (std::size_t i = 0; i < table.biases.size(); ++i) {
      ASSERT_NEAR(moved.biases[i], table.biases[i] - 0.5 * table.bias_gradients[i], 1e-5)
          << name << " bias " << i;
    }
  }
}

/// The gradient by the features is the slope of the loss.
inline void expect_slopes(heads::DenseHead& head, RandomBatch& batch, const Context& context) {
  // Losses are exact to some 1e-6, and the third derivative is of the order of 1: an error of
  // 1e-6 / 2e-2 + 1e-4.
  constexpr float kStep = 1e-2F;
  const heads::HeadStep step;
  (void)head.evaluate(context, batch.view(), step, batch.gradient());
  const std::vector<float> gradient = batch.gradient_values();
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const float before = batch.features()[i];
    batch.features()[i] = before + kStep;
    const double above = head.evaluate(context, batch.view(), step, batch.gradient());
    batch.features()[i] = before - kStep;
    const double below = head.evaluate(context, batch.view(), step, batch.gradient());
    batch.features()[i] = before;
    const double rise = static_cast<double>(before + kStep) - static_cast<double>(before - kStep);
    EXPECT_NEAR(gradient[i], (above - below) / rise, 5e-4) << i;
  }
}

/// Some steps give the same bits for 1, 2 and 3 threads, with and without scratch space of before.
inline void expect_same_bits(const heads::HeadSpec& spec, const heads::HeadSetup& setup,
                             std::size_t batch_size) {
  std::vector<float> first;
  for (const std::size_t threads : {1U, 2U, 3U}) {
    const Context context({.threads = threads, .seed = 9});
    const auto head = heads::make_dense_head(context, spec, setup);
    std::vector<float> result;
    for (std::uint64_t number = 0; number < 3; ++number) {
      if (threads == 3) head->release_scratch();
      RandomBatch batch(batch_size, spec.dim, spec.num_labels, 3, number);
      const double loss = head->step(context, batch.view(),
                                     {.learning_rate = 0.1F, .number = number}, batch.gradient());
      result.push_back(static_cast<float>(loss));
      result.insert(result.end(), batch.gradient_values().begin(), batch.gradient_values().end());
    }
    const std::vector<float> state = state_of(*head);
    result.insert(result.end(), state.begin(), state.end());
    if (first.empty()) first = result;
    ASSERT_TRUE(result == first) << threads << " threads";
  }
}

}  // namespace mhe::testing

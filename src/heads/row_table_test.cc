// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/row_table.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace mhe::heads {
namespace {

const Context kContext({.threads = 1, .seed = 5});

std::vector<float> values_of(const RowTable& table) {
  std::vector<float> values(table.rows().data, table.rows().data + table.rows().size());
  values.insert(values.end(), table.biases().begin(), table.biases().end());
  return values;
}

TEST(RowTable, RowsFollowFromSeedAndName) {
  const Context three({.threads = 3, .seed = 5});
  const RowTable table(kContext, "a.", 1000, 7);
  EXPECT_EQ(values_of(table), values_of(RowTable(three, "a.", 1000, 7)));
  EXPECT_NE(values_of(table), values_of(RowTable(kContext, "b.", 1000, 7)));
  for (const float value : values_of(table)) EXPECT_LE(std::fabs(value), 0.1 / std::sqrt(7.0));
}

TEST(RowTable, MovesByEachRule) {
  // One row of two elements and a bias; gradient (3, 4) and 5: mean square 50 / 3.
  const std::vector<float> gradient = {3, 4};
  const std::vector<float> bias_gradient = {5};
  const double root = std::sqrt(50.0 / 3);
  const struct {
    TableRule rule;
    double first;  // factors of the first and of the second step
    double second;
  } rules[] = {{TableRule::kSgd, 1, 1},
               {TableRule::kAdagrad, 1 / root, 1 / (root * std::sqrt(2.0))},
               {TableRule::kAdam, 1 / root, 1 / root}};
  for (const auto& rule : rules) {
    RowTable table(kContext, "", 3, 2);
    const TableOptimizer optimizer = {.rule = rule.rule, .weight_decay = 0.5F};
    const std::vector<float> before = values_of(table);
    table.update(1, {gradient.data(), 1, 2}, bias_gradient, optimizer, 0.1F);
    table.update(1, {gradient.data(), 1, 2}, bias_gradient, optimizer, 0.1F);
    const std::vector<float> after = values_of(table);
    for (std::size_t i = 0; i < 2; ++i) {
      const double once = 0.95 * before[2 + i] - 0.1 * rule.first * gradient[i];
      EXPECT_NEAR(after[2 + i], 0.95 * once - 0.1 * rule.second * gradient[i], 1e-6);
    }
    EXPECT_NEAR(after[6 + 1], -0.5 * (rule.first + rule.second), 1e-6) << "biases do not decay";
    for (const std::size_t other : {0U, 1U, 4U, 5U, 6U, 8U}) {
      EXPECT_EQ(after[other], before[other]) << "not a row of the update";
    }
  }
}

// Row 1 of three, two elements and a bias, in double; the others are not touched and stay.
TEST(RowTable, MovesByRulesThatKeepVectors) {
  const std::vector<std::vector<float>> gradients = {{3, -4, 5}, {0.5F, 2, -1}, {1, 0, 0.25F}};
  for (const TableRule rule : {TableRule::kMomentum, TableRule::kNesterov, TableRule::kAdamW}) {
    const TableOptimizer optimizer = {.rule = rule, .weight_decay = 0.5F};
    RowTable table(kContext, "", 3, 2, rule);
    const std::vector<float> before = values_of(table);
    std::vector<double> expected = {before[2], before[3], 0};
    std::vector<double> first(3);
    std::vector<double> second(3);
    int number = 0;
    for (const std::vector<float>& gradient : gradients) {
      ++number;
      const float bias_gradient = gradient[2];
      table.update(1, {gradient.data(), 1, 2}, {&bias_gradient, 1}, optimizer, 0.1F);
      for (std::size_t i = 0; i < 3; ++i) {
        const double g = gradient[i];
        double move = 0;
        if (rule == TableRule::kAdamW) {
          first[i] = 0.9 * first[i] + 0.1 * g;
          second[i] = 0.999 * second[i] + 0.001 * g * g;
          move = first[i] / (1 - std::pow(0.9, number)) /
                 (std::sqrt(second[i] / (1 - std::pow(0.999, number))) + 1e-8);
        } else {
          first[i] = 0.9 * first[i] + g;
          move = rule == TableRule::kNesterov ? g + 0.9 * first[i] : first[i];
        }
        expected[i] = (i < 2 ? 0.95 : 1) * expected[i] - 0.1 * move;
      }
    }
    const std::vector<float> after = values_of(table);
    // 1 - 0.999 has four digits in floats: 1e-4 of moves of 0.1.
    EXPECT_NEAR(after[2], expected[0], 2e-5);
    EXPECT_NEAR(after[3], expected[1], 2e-5);
    EXPECT_NEAR(after[7], expected[2], 2e-5) << "biases do not decay";
    for (const std::size_t other : {0U, 1U, 4U, 5U, 6U, 8U}) EXPECT_EQ(after[other], before[other]);
  }
}

class RowTableRule : public ::testing::TestWithParam<TableRule> {};

TEST_P(RowTableRule, MultiplesOfAVectorMoveAsTheirGradientsDo) {
  RowTable fast(kContext, "", 4, 20, GetParam());
  RowTable slow(kContext, "", 4, 20, GetParam());
  std::vector<float> vector;
  for (int i = 0; i < 20; ++i) vector.push_back(static_cast<float>(i - 7) * 0.25F);
  const std::vector<float> factors = {0.5F, -2, 0};
  std::vector<float> gradients;
  for (const float factor : factors) {
    for (const float x : vector) gradients.push_back(factor * x);
  }
  const TableOptimizer optimizer = {.rule = GetParam(), .weight_decay = 0.5F};
  std::vector<float> pulled(20);
  std::vector<float> expected(20);
  for (int step = 0; step < 2; ++step) {
    for (std::size_t i = 0; i < factors.size(); ++i) {
      for (std::size_t j = 0; j < 20; ++j) expected[j] += factors[i] * slow.row(1 + i)[j];
    }
    fast.update(1, factors, vector, {&optimizer, 0.1F}, pulled);
    slow.update(1, {gradients.data(), 3, 20}, factors, optimizer, 0.1F);
  }
  const std::vector<float> a = values_of(fast);
  const std::vector<float> b = values_of(slow);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6) << i;
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(pulled[i], expected[i], 1e-6) << i;
}

INSTANTIATE_TEST_SUITE_P(Rules, RowTableRule,
                         ::testing::Values(TableRule::kAdagrad, TableRule::kMomentum,
                                           TableRule::kNesterov, TableRule::kAdamW));

}  // namespace
}  // namespace mhe::heads

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/dual_sweep.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "base/aligned.h"
#include "base/random.h"

namespace mhe::kernels {
namespace {

// The meaning of dual_sweep() with SweepScope::kAll: plain loops, std::fma.
void dual_sweep_reference(const SweepProblem& p, std::span<const std::uint32_t> order) noexcept {
  const std::size_t lanes = p.num_groups * kGroupLanes;
  for (const std::uint32_t row : order) {
    const std::uint32_t* columns = p.columns + p.rows[row].column_begin;
    const float* values = p.values + p.rows[row].value_begin;
    std::uint8_t active = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if ((p.used_lanes >> lane & 1) == 0) continue;
      float sums[2] = {p.bias[lane], 0.0F};
      for (std::size_t i = 0; i < p.rows[row].size; ++i) {
        sums[i % 2] = std::fma(values[i], p.weights[columns[i] * lanes + lane], sums[i % 2]);
      }
      const float z = sums[0] + sums[1];
      const float y = (p.positives[row] >> lane & 1) != 0 ? 1.0F : -1.0F;
      float& dual = p.duals[row * lanes + lane];
      const float gradient = std::fma(y, z, std::fma(dual, p.diagonal, -1.0F));
      const float inverse = p.rows[row].inverse_curvature;
      const float change = std::max(0.0F, std::fma(-gradient, inverse, dual)) - dual;
      const float step = std::fabs(change) <= p.tolerance * inverse ? 0.0F : change * y;
      dual += step * y;
      if (dual != 0 || gradient <= 0) {
        active = static_cast<std::uint8_t>(active | (1U << (lane / kGroupLanes)));
      }
      if (step == 0) continue;
      for (std::size_t i = 0; i < p.rows[row].size; ++i) {
        float& w = p.weights[columns[i] * lanes + lane];
        if (p.keep_zeros && w == 0) continue;
        w = std::fma(values[i], step, w);
      }
      p.bias[lane] += step;
    }
    p.active[row] = active;
  }
}

// A random problem and the memory behind it.
struct Fixture {
  std::vector<SweepRow> rows;
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::vector<std::uint16_t> positives;
  std::vector<std::uint8_t> active;
  std::vector<std::uint32_t> order;
  AlignedFloats weights;
  AlignedFloats bias;
  AlignedFloats duals;
  SweepProblem problem;

  Fixture(std::size_t num_rows, std::size_t num_columns, std::size_t num_lanes,
          std::uint64_t seed) {
    RandomStream random(seed, "dual_sweep_test");
    for (std::size_t row = 0; row < num_rows; ++row) {
      const std::size_t begin = columns.size();
      float squares = 1.0F;
      for (std::uint32_t column = 0; column < num_columns; ++column) {
        if (random.below(3) != 0) continue;
        columns.push_back(column);
        values.push_back(static_cast<float>(random.uniform()));
        squares += values.back() * values.back();
      }
      rows.push_back({.column_begin = begin,
                      .value_begin = begin,
                      .size = static_cast<std::uint32_t>(columns.size() - begin),
                      .inverse_curvature = 1.0F / (squares + 0.5F)});
      positives.push_back(
          static_cast<std::uint16_t>(random() & random() & ((1U << num_lanes) - 1)));
    }
    problem.num_groups = (num_lanes + kGroupLanes - 1) / kGroupLanes;
    problem.used_lanes = (1U << num_lanes) - 1;
    const std::size_t lanes = problem.num_groups * kGroupLanes;
    weights.assign_zero(num_columns * lanes);
    bias.assign_zero(lanes);
    duals.assign_zero(num_rows * lanes);
    active.assign(num_rows, 0);
    order.resize(num_rows);
    std::iota(order.begin(), order.end(), 0U);
    problem.rows = rows.data();
    problem.columns = columns.data();
    problem.values = values.data();
    problem.positives = positives.data();
    problem.weights = weights.data();
    problem.bias = bias.data();
    problem.duals = duals.data();
    problem.active = active.data();
  }
};

void expect_near(const AlignedFloats& a, const AlignedFloats& b, float tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a.data()[i], b.data()[i], tolerance) << i;
}

bool has_fma() {
  return (hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL)) != 0;
}

// As pruning does; every third weight is 0 afterwards at least.
void drop_weights(AlignedFloats& weights) {
  for (std::size_t i = 0; i < weights.size(); i += 3) weights.data()[i] = 0;
}

TEST(DualSweep, EqualsTheReferenceForAnyNumberOfLanes) {
  for (const std::size_t num_lanes : {1U, 7U, 8U, 9U, 15U, 16U}) {
    Fixture fast(50, 30, num_lanes, num_lanes);
    Fixture slow(50, 30, num_lanes, num_lanes);
    fast.problem.tolerance = slow.problem.tolerance = 0.02F;
    for (int sweep = 0; sweep < 6; ++sweep) {
      if (sweep == 4) {
        fast.problem.keep_zeros = slow.problem.keep_zeros = true;
        drop_weights(fast.weights);
        drop_weights(slow.weights);
      }
      dual_sweep(fast.problem, fast.order, SweepScope::kAll);
      dual_sweep_reference(slow.problem, slow.order);
      EXPECT_EQ(fast.active, slow.active) << num_lanes;
    }
    // With fused multiply-add every lane does the reference's operations in its order: no
    // difference at all. Without it each of some 40 products a sum rounds once more: 40 * 2^-24 *
    // |z| < 1e-5, and errors feed into later steps, hence 1e-3.
    const float tolerance = has_fma() ? 0.0F : 1e-3F;
    expect_near(fast.weights, slow.weights, tolerance);
    expect_near(fast.bias, slow.bias, tolerance);
    expect_near(fast.duals, slow.duals, tolerance);
  }
}

TEST(DualSweep, WeightsThatAreZeroStaySoWhereAsked) {
  Fixture fixture(50, 30, 16, 4);
  dual_sweep(fixture.problem, fixture.order, SweepScope::kAll);
  drop_weights(fixture.weights);
  fixture.problem.keep_zeros = true;
  const float before = fixture.weights.data()[1];
  dual_sweep(fixture.problem, fixture.order, SweepScope::kAll);
  EXPECT_NE(fixture.weights.data()[1], before);
  for (std::size_t i = 0; i < fixture.weights.size(); i += 3) {
    EXPECT_EQ(fixture.weights.data()[i], 0.0F) << i;
  }
}

TEST(DualSweep, PaddingLanesStayZero) {
  Fixture fixture(20, 10, 3, 5);
  for (int sweep = 0; sweep < 3; ++sweep) {
    dual_sweep(fixture.problem, fixture.order, SweepScope::kAll);
  }
  for (std::size_t column = 0; column < 10; ++column) {
    for (std::size_t lane = 3; lane < kGroupLanes; ++lane) {
      EXPECT_EQ(fixture.weights.data()[column * kGroupLanes + lane], 0.0F);
    }
  }
}

// At the optimum of the dual, the gradient of every positive dual is 0 and of every zero one >= 0.
TEST(DualSweep, ConvergesToTheOptimum) {
  Fixture fixture(40, 12, 16, 3);
  for (int sweep = 0; sweep < 2000; ++sweep) {
    const bool all = sweep % 3 == 0;
    dual_sweep(fixture.problem, fixture.order, all ? SweepScope::kAll : SweepScope::kActive);
  }
  const SweepProblem& p = fixture.problem;
  for (std::size_t row = 0; row < fixture.order.size(); ++row) {
    for (std::size_t lane = 0; lane < 16; ++lane) {
      double z = p.bias[lane];
      const std::uint64_t begin = p.rows[row].column_begin;
      for (std::uint64_t at = begin; at < begin + p.rows[row].size; ++at) {
        z += static_cast<double>(p.values[at]) * p.weights[p.columns[at] * 16 + lane];
      }
      const double y = (p.positives[row] >> lane & 1) != 0 ? 1 : -1;
      const double dual = p.duals[row * 16 + lane];
      const double gradient = y * z - 1 + dual * p.diagonal;
      if (dual > 0) {
        EXPECT_NEAR(gradient, 0, 1e-4);
      } else {
        EXPECT_GE(gradient, -1e-4);
      }
    }
  }
}

}  // namespace
}  // namespace mhe::kernels

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/dual_sweep.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dual_sweep.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/dual_sweep-inl.h"

#if HWY_ONCE
namespace mhe::kernels {

HWY_EXPORT(dual_sweep);

void dual_sweep(const SweepProblem& problem, std::span<const std::uint32_t> order,
                SweepScope scope) noexcept {
  HWY_DYNAMIC_DISPATCH(dual_sweep)(problem, order, scope);
}

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

}  // namespace mhe::kernels
#endif

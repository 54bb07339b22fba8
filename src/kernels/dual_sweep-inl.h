// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by dual_sweep.cc.
#if defined(MHE_KERNELS_DUAL_SWEEP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_DUAL_SWEEP_INL_H
#undef MHE_KERNELS_DUAL_SWEEP_INL_H
#else
#define MHE_KERNELS_DUAL_SWEEP_INL_H
#endif

#include <array>

#include <hwy/highway.h>

#include "kernels/dual_sweep.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Eight lanes: one vector from AVX2 on, two below.
using GroupTag = hn::CappedTag<float, kGroupLanes>;
constexpr std::size_t kParts = kGroupLanes / HWY_MAX(1, HWY_MIN(kGroupLanes, HWY_LANES(float)));
using Vec = hn::Vec<GroupTag>;

// z += x * w over a row, for NumGroups groups that begin at the given lane offsets.
template <std::size_t NumGroups>
HWY_INLINE void score_row(const SweepProblem& p, std::size_t row, const std::size_t* lane_offsets,
                          float* HWY_RESTRICT scores) {
  const GroupTag d;
  const std::size_t step = hn::Lanes(d);
  const std::size_t lanes = p.num_groups * kGroupLanes;
  Vec z[NumGroups * kParts];
  for (std::size_t g = 0; g < NumGroups; ++g) {
    for (std::size_t part = 0; part < kParts; ++part) {
      z[g * kParts + part] = hn::Load(d, p.bias + lane_offsets[g] + part * step);
    }
  }
  const float* HWY_RESTRICT values = p.values + p.value_begins[row];
  const std::uint64_t end = p.offsets[row + 1];
  for (std::uint64_t at = p.offsets[row]; at < end; ++at) {
    const float* HWY_RESTRICT w = p.weights + p.columns[at] * lanes;
    const float* ahead = p.weights + p.columns[at + kColumnsAhead] * lanes;
    for (std::size_t g = 0; g < NumGroups; ++g) __builtin_prefetch(ahead + lane_offsets[g]);
    const Vec x = hn::Set(d, *values++);
    for (std::size_t g = 0; g < NumGroups; ++g) {
      for (std::size_t part = 0; part < kParts; ++part) {
        Vec& sum = z[g * kParts + part];
        sum = hn::MulAdd(x, hn::Load(d, w + lane_offsets[g] + part * step), sum);
      }
    }
  }
  for (std::size_t i = 0; i < NumGroups * kParts; ++i) hn::Store(z[i], d, scores + i * step);
}

// w += x * steps over a row, the reverse of score_row.
template <std::size_t NumGroups>
HWY_INLINE void update_row(const SweepProblem& p, std::size_t row, const std::size_t* lane_offsets,
                           const float* HWY_RESTRICT steps) {
  const GroupTag d;
  const std::size_t step = hn::Lanes(d);
  const std::size_t lanes = p.num_groups * kGroupLanes;
  Vec s[NumGroups * kParts];
  for (std::size_t i = 0; i < NumGroups * kParts; ++i) s[i] = hn::Load(d, steps + i * step);
  const float* HWY_RESTRICT values = p.values + p.value_begins[row];
  const std::uint64_t end = p.offsets[row + 1];
  for (std::uint64_t at = p.offsets[row]; at < end; ++at) {
    float* HWY_RESTRICT w = p.weights + p.columns[at] * lanes;
    const Vec x = hn::Set(d, *values++);
    for (std::size_t g = 0; g < NumGroups; ++g) {
      for (std::size_t part = 0; part < kParts; ++part) {
        float* HWY_RESTRICT at_lane = w + lane_offsets[g] + part * step;
        hn::Store(hn::MulAdd(x, s[g * kParts + part], hn::Load(d, at_lane)), d, at_lane);
      }
    }
  }
  for (std::size_t g = 0; g < NumGroups; ++g) {
    for (std::size_t part = 0; part < kParts; ++part) {
      float* HWY_RESTRICT b = p.bias + lane_offsets[g] + part * step;
      hn::Store(hn::Add(s[g * kParts + part], hn::Load(d, b)), d, b);
    }
  }
}

using RowFunction = void (*)(const SweepProblem&, std::size_t, const std::size_t*, float*);

template <std::size_t... Counts>
constexpr std::array<RowFunction, sizeof...(Counts)> score_functions(
    std::index_sequence<Counts...>) {
  return {[](const SweepProblem& p, std::size_t row, const std::size_t* offsets, float* scores) {
    score_row<Counts + 1>(p, row, offsets, scores);
  }...};
}
template <std::size_t... Counts>
constexpr std::array<RowFunction, sizeof...(Counts)> update_functions(
    std::index_sequence<Counts...>) {
  return {[](const SweepProblem& p, std::size_t row, const std::size_t* offsets, float* steps) {
    update_row<Counts + 1>(p, row, offsets, steps);
  }...};
}

struct GroupOutcome {
  bool moved = false;
  bool rests = true;
};

// The coordinate step of eight lanes: z in, the step of y * dual out.
HWY_INLINE GroupOutcome step_group(const SweepProblem& p, std::size_t row, std::size_t group,
                                   const float* HWY_RESTRICT signs, const float* HWY_RESTRICT used,
                                   float* HWY_RESTRICT z_to_step) {
  const GroupTag d;
  const std::size_t step = hn::Lanes(d);
  const Vec diagonal = hn::Set(d, p.diagonal);
  const Vec inverse = hn::Set(d, p.inverse_curvature[row]);
  const Vec threshold = hn::Mul(hn::Set(d, p.tolerance), inverse);
  const Vec zero = hn::Zero(d);
  float* dual = p.duals + (row * p.num_groups + group) * kGroupLanes;
  GroupOutcome outcome;
  for (std::size_t part = 0; part < kParts; ++part) {
    const Vec y = hn::Load(d, signs + part * step);
    const Vec old_dual = hn::Load(d, dual + part * step);
    const Vec z = hn::Load(d, z_to_step + part * step);
    const Vec gradient = hn::MulAdd(y, z, hn::MulAdd(old_dual, diagonal, hn::Set(d, -1.0F)));
    const Vec target = hn::Mul(hn::Load(d, used + part * step),
                               hn::Max(zero, hn::NegMulAdd(gradient, inverse, old_dual)));
    const Vec full_change = hn::Sub(target, old_dual);
    const auto stays = hn::Le(hn::Abs(full_change), threshold);
    const Vec change = hn::IfThenZeroElse(stays, full_change);
    const Vec new_dual = hn::Add(old_dual, change);
    outcome.moved |= !hn::AllTrue(d, stays);
    const auto resting = hn::And(hn::Eq(new_dual, zero), hn::Gt(gradient, zero));
    const auto padding = hn::Eq(hn::Load(d, used + part * step), zero);
    outcome.rests &= hn::AllTrue(d, hn::Or(resting, padding));
    hn::Store(new_dual, d, dual + part * step);
    hn::Store(hn::Mul(change, y), d, z_to_step + part * step);
  }
  return outcome;
}

// +1 or -1 for each bit of a byte.
struct SignTable {
  alignas(64) float signs[256][kGroupLanes];
  SignTable() {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      for (std::size_t bit = 0; bit < kGroupLanes; ++bit) {
        signs[byte][bit] = (byte >> bit & 1) != 0 ? 1.0F : -1.0F;
      }
    }
  }
};

void dual_sweep(const SweepProblem& p, std::span<const std::uint32_t> order, SweepScope scope) {
  static constexpr auto kScore = score_functions(std::make_index_sequence<kMaxGroups>());
  static constexpr auto kUpdate = update_functions(std::make_index_sequence<kMaxGroups>());
  static const SignTable table;
  alignas(64) float used[kMaxGroups * kGroupLanes];
  for (std::size_t lane = 0; lane < p.num_groups * kGroupLanes; ++lane) {
    used[lane] = (p.used_lanes >> lane & 1) != 0 ? 1.0F : 0.0F;
  }
  const auto all_groups = static_cast<std::uint32_t>((1U << p.num_groups) - 1);
  alignas(64) float work[kMaxGroups * kGroupLanes];
  std::size_t lane_offsets[kMaxGroups];
  for (const std::uint32_t row : order) {
    const std::uint32_t visit = scope == SweepScope::kAll ? all_groups : p.active[row];
    if (visit == 0) continue;
    std::size_t count = 0;
    for (std::uint32_t rest = visit; rest != 0; rest &= rest - 1) {
      lane_offsets[count++] = static_cast<std::size_t>(__builtin_ctz(rest)) * kGroupLanes;
    }
    kScore[count - 1](p, row, lane_offsets, work);
    std::uint32_t active = 0;
    std::size_t moved = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t group = lane_offsets[i] / kGroupLanes;
      const float* signs = table.signs[p.positives[row] >> lane_offsets[i] & 0xFF];
      float* z = work + i * kGroupLanes;
      const GroupOutcome outcome = step_group(p, row, group, signs, used + lane_offsets[i], z);
      if (!outcome.rests) active |= 1U << group;
      if (!outcome.moved) continue;
      // Groups that moved are packed to the front, in place: moved <= i.
      for (std::size_t lane = 0; lane < kGroupLanes; ++lane)
        work[moved * kGroupLanes + lane] = z[lane];
      lane_offsets[moved++] = lane_offsets[i];
    }
    p.active[row] = static_cast<std::uint8_t>(active);
    if (moved > 0) kUpdate[moved - 1](p, row, lane_offsets, work);
  }
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

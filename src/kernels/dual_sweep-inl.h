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

#include <hwy/highway.h>

#include "kernels/dual_sweep.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Eight lanes: one vector from AVX2 on, two below.
using GroupTag = hn::CappedTag<float, kGroupLanes>;
constexpr std::size_t kParts = kGroupLanes / HWY_MAX(1, HWY_MIN(kGroupLanes, HWY_LANES(float)));
using Vec = hn::Vec<GroupTag>;

// z += x * w over a row, for NumGroups groups from the given lane on.
template <std::size_t NumGroups, std::size_t Lanes>
HWY_INLINE void score_row(const SweepProblem& p, const SweepRow& row, std::size_t first_lane,
                          float* HWY_RESTRICT scores) {
  constexpr std::size_t kVecs = NumGroups * kParts;
  const GroupTag d;
  const std::size_t step = hn::Lanes(d);
  Vec even[kVecs];
  Vec odd[kVecs];
  for (std::size_t i = 0; i < kVecs; ++i) {
    even[i] = hn::Load(d, p.bias + first_lane + i * step);
    odd[i] = hn::Zero(d);
  }
  const float* HWY_RESTRICT weights = p.weights + first_lane;
  const std::uint32_t* HWY_RESTRICT columns = p.columns + row.column_begin;
  const float* HWY_RESTRICT values = p.values + row.value_begin;
  const std::size_t size = row.size;
  std::size_t at = 0;
  for (; at + 2 <= size; at += 2) {
    const float* HWY_RESTRICT w0 = weights + columns[at] * Lanes;
    const float* HWY_RESTRICT w1 = weights + columns[at + 1] * Lanes;
    const Vec x0 = hn::Set(d, values[at]);
    const Vec x1 = hn::Set(d, values[at + 1]);
    for (std::size_t i = 0; i < kVecs; ++i) {
      even[i] = hn::MulAdd(x0, hn::Load(d, w0 + i * step), even[i]);
      odd[i] = hn::MulAdd(x1, hn::Load(d, w1 + i * step), odd[i]);
    }
  }
  if (at < size) {
    const float* HWY_RESTRICT w = weights + columns[at] * Lanes;
    const Vec x = hn::Set(d, values[at]);
    for (std::size_t i = 0; i < kVecs; ++i) {
      even[i] = hn::MulAdd(x, hn::Load(d, w + i * step), even[i]);
    }
  }
  for (std::size_t i = 0; i < kVecs; ++i) {
    hn::Store(hn::Add(even[i], odd[i]), d, scores + first_lane + i * step);
  }
}

// w += x * steps over a row, the reverse of score_row.
template <std::size_t NumGroups, std::size_t Lanes, bool KeepZeros>
HWY_INLINE void update_row(const SweepProblem& p, const SweepRow& row, std::size_t first_lane,
                           const float* HWY_RESTRICT steps) {
  constexpr std::size_t kVecs = NumGroups * kParts;
  const GroupTag d;
  const std::size_t step = hn::Lanes(d);
  Vec s[kVecs];
  for (std::size_t i = 0; i < kVecs; ++i) {
    s[i] = hn::Load(d, steps + first_lane + i * step);
    float* b = p.bias + first_lane + i * step;
    hn::Store(hn::Add(s[i], hn::Load(d, b)), d, b);
  }
  float* HWY_RESTRICT weights = p.weights + first_lane;
  const std::uint32_t* HWY_RESTRICT columns = p.columns + row.column_begin;
  const float* HWY_RESTRICT values = p.values + row.value_begin;
  const std::size_t size = row.size;
  for (std::size_t at = 0; at < size; ++at) {
    float* HWY_RESTRICT w = weights + columns[at] * Lanes;
    const Vec x = hn::Set(d, values[at]);
    for (std::size_t i = 0; i < kVecs; ++i) {
      const Vec old = hn::Load(d, w + i * step);
      const Vec moved = hn::MulAdd(x, s[i], old);
      hn::Store(KeepZeros ? hn::IfThenZeroElse(hn::Eq(old, hn::Zero(d)), moved) : moved, d,
                w + i * step);
    }
  }
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
  const Vec inverse = hn::Set(d, p.rows[row].inverse_curvature);
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

// The first lines of a row that comes next: rows come in random order, and what lies behind these
// lines the machine fetches by itself.
HWY_INLINE void prefetch_row(const SweepProblem& p, std::uint32_t index, std::size_t lanes) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  const SweepRow& row = p.rows[index];
  for (std::size_t at = 0; at < 4 * kLine && at < row.size; at += kLine) {
    __builtin_prefetch(p.columns + row.column_begin + at);
    __builtin_prefetch(p.values + row.value_begin + at);
  }
  __builtin_prefetch(p.duals + index * lanes);
}

template <std::size_t NumGroups, bool KeepZeros>
void sweep(const SweepProblem& p, std::span<const std::uint32_t> order, SweepScope scope) {
  static const SignTable table;
  static_assert(kMaxGroups == 2, "sets of groups are two bits");
  constexpr std::size_t kLanes = NumGroups * kGroupLanes;
  constexpr std::uint32_t kAllGroups = (1U << NumGroups) - 1;
  alignas(64) float used[kMaxLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    used[lane] = (p.used_lanes >> lane & 1) != 0 ? 1.0F : 0.0F;
  }
  const auto groups_of = [&](std::size_t i) -> std::uint32_t {
    return scope == SweepScope::kAll ? kAllGroups : p.active[order[i]];
  };
  const auto next_after = [&](std::size_t i) {
    while (i < order.size() && groups_of(i) == 0) ++i;
    return i;
  };
  alignas(64) float work[kMaxLanes];  // scores, then steps
  std::size_t next = 0;
  for (std::size_t i = next_after(0); i < order.size(); i = next) {
    next = next_after(i + 1);
    if (next < order.size()) prefetch_row(p, order[next], kLanes);
    const std::uint32_t index = order[i];
    const SweepRow& row = p.rows[index];
    const std::uint32_t visit = groups_of(i);
    if (visit == kAllGroups) {
      score_row<NumGroups, kLanes>(p, row, 0, work);
    } else {
      score_row<1, kLanes>(p, row, visit == 1 ? 0 : kGroupLanes, work);
    }
    std::uint32_t active = 0;
    std::uint32_t moved = 0;
    for (std::size_t group = 0; group < NumGroups; ++group) {
      if ((visit >> group & 1) == 0) continue;
      const std::size_t lane = group * kGroupLanes;
      const float* signs = table.signs[p.positives[index] >> lane & 0xFF];
      const GroupOutcome outcome = step_group(p, index, group, signs, used + lane, work + lane);
      if (!outcome.rests) active |= 1U << group;
      if (outcome.moved) moved |= 1U << group;
    }
    p.active[index] = static_cast<std::uint8_t>(active);
    if (moved == kAllGroups) {
      update_row<NumGroups, kLanes, KeepZeros>(p, row, 0, work);
    } else if (moved != 0) {
      update_row<1, kLanes, KeepZeros>(p, row, moved == 1 ? 0 : kGroupLanes, work);
    }
  }
}

void dual_sweep(const SweepProblem& p, std::span<const std::uint32_t> order, SweepScope scope) {
  if (p.num_groups == 1) {
    p.keep_zeros ? sweep<1, true>(p, order, scope) : sweep<1, false>(p, order, scope);
  } else {
    p.keep_zeros ? sweep<2, true>(p, order, scope) : sweep<2, false>(p, order, scope);
  }
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

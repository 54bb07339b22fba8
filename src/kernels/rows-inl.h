// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by rows.cc.
#if defined(MHE_KERNELS_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_ROWS_INL_H
#undef MHE_KERNELS_ROWS_INL_H
#else
#define MHE_KERNELS_ROWS_INL_H
#endif

#include <cstddef>

#include <hwy/highway.h>

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

float sum(const float* row, std::size_t size) {
  LaneVec total[kLaneParts];
  for (LaneVec& t : total) t = hn::Zero(LaneTag());
  for_each_lanes(row, size, 0, [&](std::size_t part, LaneVec x, std::size_t /*count*/) {
    total[part] = hn::Add(total[part], x);
  });
  return add_lanes(total);
}

float sum_squares(const float* row, std::size_t size) {
  LaneVec total[kLaneParts];
  for (LaneVec& t : total) t = hn::Zero(LaneTag());
  for_each_lanes(row, size, 0, [&](std::size_t part, LaneVec x, std::size_t /*count*/) {
    total[part] = hn::MulAdd(x, x, total[part]);
  });
  return add_lanes(total);
}

void move_row(float* row, const float* gradient, std::size_t size, float keep, float step) {
  const LaneTag d;
  map_lanes(row, size, [&](LaneVec x, std::size_t at, std::size_t count) {
    const LaneVec g = load_lanes(gradient + at, count);
    return hn::NegMulAdd(g, hn::Set(d, step), hn::Mul(x, hn::Set(d, keep)));
  });
}

void add_row(float* row, const float* other, std::size_t size) {
  map_lanes(row, size, [&](LaneVec x, std::size_t at, std::size_t count) {
    return hn::Add(x, load_lanes(other + at, count));
  });
}

std::size_t count_not_above(const float* scores, std::size_t size, float bound) {
  const LaneTag d;
  const LaneVec limit = hn::Set(d, bound);
  std::size_t at = 0;
  for (; at + kPartLanes <= size; at += kPartLanes) {
    const auto above = hn::Gt(hn::LoadU(d, scores + at), limit);
    const auto first = hn::FindFirstTrue(d, above);
    if (first >= 0) return at + static_cast<std::size_t>(first);
  }
  while (at < size && !(scores[at] > bound)) ++at;
  return at;
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

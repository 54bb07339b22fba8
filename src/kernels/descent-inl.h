// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by descent.cc.
#if defined(MHE_KERNELS_DESCENT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_DESCENT_INL_H
#undef MHE_KERNELS_DESCENT_INL_H
#else
#define MHE_KERNELS_DESCENT_INL_H
#endif

#include <cstddef>

#include <hwy/highway.h>

#include "kernels/descent.h"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void move_with_momentum(float* weights, float* velocities, const float* gradients, std::size_t size,
                        const MomentumStep& step) {
  const LaneTag d;
  const LaneVec momentum = hn::Set(d, step.momentum);
  map_lanes(weights, size, [&](LaneVec x, std::size_t at, std::size_t count) HWY_ATTR {
    const LaneVec g = hn::Mul(hn::Set(d, step.scale), load_lanes(gradients + at, count));
    LaneVec v = hn::Add(hn::Mul(momentum, load_lanes(velocities + at, count)), g);
    store_lanes(v, velocities + at, count);
    if (step.looks_ahead) v = hn::Add(g, hn::Mul(momentum, v));
    return hn::Sub(hn::Mul(hn::Set(d, step.keep), x), hn::Mul(hn::Set(d, step.rate), v));
  });
}

// means = beta * means + (1 - beta) * values
HWY_INLINE LaneVec move_means(float* means, float beta, LaneVec values, std::size_t count) {
  const LaneTag d;
  const LaneVec moved = hn::Add(hn::Mul(hn::Set(d, beta), load_lanes(means, count)), values);
  store_lanes(moved, means, count);
  return moved;
}

void move_with_adam(const AdamArrays& arrays, const float* gradients, std::size_t size,
                    const AdamStep& step) {
  const LaneTag d;
  map_lanes(arrays.weights, size, [&](LaneVec x, std::size_t at, std::size_t count) HWY_ATTR {
    const LaneVec g = hn::Mul(hn::Set(d, step.scale), load_lanes(gradients + at, count));
    const LaneVec first =
        move_means(arrays.first + at, step.beta1, hn::Mul(hn::Set(d, 1 - step.beta1), g), count);
    const LaneVec second = move_means(arrays.second + at, step.beta2,
                                      hn::Mul(hn::Mul(hn::Set(d, 1 - step.beta2), g), g), count);
    const LaneVec spread =
        hn::Add(hn::Sqrt(hn::Mul(hn::Set(d, step.second_scale), second)), hn::Set(d, step.epsilon));
    const LaneVec direction = hn::Div(hn::Mul(hn::Set(d, step.first_scale), first), spread);
    return hn::Sub(hn::Mul(hn::Set(d, step.keep), x), hn::Mul(hn::Set(d, step.rate), direction));
  });
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

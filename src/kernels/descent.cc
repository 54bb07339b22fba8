// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/descent.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/descent.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/descent-inl.h"

#if HWY_ONCE
namespace mhe::kernels {

HWY_EXPORT(move_with_momentum);
HWY_EXPORT(move_with_adam);

void move_with_momentum(float* weights, float* velocities, const float* gradients, std::size_t size,
                        const MomentumStep& step) noexcept {
  HWY_DYNAMIC_DISPATCH(move_with_momentum)(weights, velocities, gradients, size, step);
}

void move_with_adam(const AdamArrays& arrays, const float* gradients, std::size_t size,
                    const AdamStep& step) noexcept {
  HWY_DYNAMIC_DISPATCH(move_with_adam)(arrays, gradients, size, step);
}

}  // namespace mhe::kernels
#endif

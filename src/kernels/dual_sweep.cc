// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/dual_sweep.h"

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

}  // namespace mhe::kernels
#endif

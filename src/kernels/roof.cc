// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/roof.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/roof.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/roof-inl.h"

#if HWY_ONCE
namespace mhe::kernels {

HWY_EXPORT(run_multiply_adds);
HWY_EXPORT(run_reads);

double run_multiply_adds(std::size_t iterations) noexcept {
  return HWY_DYNAMIC_DISPATCH(run_multiply_adds)(iterations);
}

float run_reads(const float* from, std::size_t size) noexcept {
  return HWY_DYNAMIC_DISPATCH(run_reads)(from, size);
}

}  // namespace mhe::kernels
#endif

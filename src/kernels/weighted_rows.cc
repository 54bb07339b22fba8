// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/weighted_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/weighted_rows.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/weighted_rows-inl.h"

#if HWY_ONCE
namespace mhe::kernels {

HWY_EXPORT(add_weighted_rows);

void add_weighted_rows(const WeightedRows& problem, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(add_weighted_rows)(problem, out);
}

}  // namespace mhe::kernels
#endif

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/code_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/code_sums.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/code_sums-inl.h"

#if HWY_ONCE
namespace mhe::kernels {

HWY_EXPORT(sum_codes);

void sum_codes(const CodeTable& table, std::span<const float> scores, std::size_t begin,
               std::span<float> sums) noexcept {
  HWY_DYNAMIC_DISPATCH(sum_codes)(table, scores, begin, sums);
}

}  // namespace mhe::kernels
#endif

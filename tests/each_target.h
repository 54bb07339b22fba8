// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a test on every instruction set of the machine.
#pragma once

#include <cstdint>
#include <functional>

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace mhe::testing {

/// Whether a*b+c is rounded once there: kernels are then equal bit for bit.
[[nodiscard]] inline bool has_fma(std::int64_t target) {
  return (target & (HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL | HWY_NEON)) != 0;
}

/// Calls body(target) with kernels bound to each target in turn.
inline void for_each_target(const std::function<void(std::int64_t target)>& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
    body(target);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace mhe::testing

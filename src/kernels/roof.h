// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mhe::kernels {

/// Does nothing but fused multiply-adds, as many at a time as the machine can: for measuring how
/// many it can. Returns how many floating-point operations that were, a multiplication and an
/// addition counting as two.
double run_multiply_adds(std::size_t iterations) noexcept;

/// Does nothing but read: for measuring how fast that goes. Returns the sum of the floats, in no
/// order in particular.
float run_reads(const float* from, std::size_t size) noexcept;

}  // namespace mhe::kernels

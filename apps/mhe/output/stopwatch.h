// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Seconds of wall time, for benchmarks.
#pragma once

#include <chrono>

namespace mhe::app {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace mhe::app

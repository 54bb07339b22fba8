// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include <mhe/context.h>

namespace mhe::app {

/// What the machine can do at best, on all threads of a Context.
struct MachineRoof {
  double gflops = 0;    ///< fused multiply-adds of floats, each counted as two
  double gb_per_s = 0;  ///< memory read and written back in place, both counted

  void raise_to(const MachineRoof& other) {
    gflops = std::max(gflops, other.gflops);
    gb_per_s = std::max(gb_per_s, other.gb_per_s);
  }
  /// Seconds that work takes if nothing but its arithmetic or its memory holds it up.
  [[nodiscard]] double seconds(double flops, double bytes) const {
    const double arithmetic = flops / (gflops * 1e9);
    const double memory = bytes / (gb_per_s * 1e9);
    return arithmetic > memory ? arithmetic : memory;
  }
};

/// Takes part of a second and 128 MiB. The best of several tries, since what disturbs only ever
/// slows.
[[nodiscard]] MachineRoof measure_roof(const Context& context);

/// Bytes a second that all threads read, each from memory of its own that its L2 cache holds.
[[nodiscard]] double measure_near_gb_per_s(const Context& context);

/// Memory that could be had now without pushing anything out, in bytes; 0 where the system does not
/// tell.
[[nodiscard]] std::uint64_t available_memory();

}  // namespace mhe::app

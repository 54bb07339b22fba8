// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/machine_roof.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "kernels/roof.h"
#include "kernels/rows.h"
#include "output/stopwatch.h"

namespace mhe::app {
namespace {

constexpr int kTries = 12;                      // one that all threads have their cores for
constexpr std::size_t kIterations = 2'000'000;  // some 10 ms
constexpr std::size_t kFloats = std::size_t{32} << 20U;  // 128 MiB: beyond any cache
constexpr std::size_t kGrain = std::size_t{1} << 16U;

}  // namespace

MachineRoof measure_roof(const Context& context) {
  MachineRoof roof;
  std::vector<float> memory(kFloats, 1.0F);
  const std::vector<float> gradient(kGrain, 1.0F);
  for (int i = 0; i < kTries; ++i) {
    std::vector<double> flops(context.threads());
    const Clock::time_point arithmetic = Clock::now();
    parallel_for(context, context.threads(),
                 [&](std::size_t t) { flops[t] = kernels::run_multiply_adds(kIterations); });
    double all = 0;
    for (const double part : flops) all += part;
    roof.gflops = std::max(roof.gflops, all / seconds_since(arithmetic) / 1e9);
    const Clock::time_point reading = Clock::now();
    parallel_blocks(context, memory.size(), kGrain, [&](const Block& block) {
      // What training does to a table, but for its arithmetic.
      kernels::move_row(memory.data() + block.begin, gradient.data(), block.end - block.begin,
                        0.999F, 0.001F);
    });
    const double bytes = 2.0 * sizeof(float) * static_cast<double>(memory.size());
    roof.gb_per_s = std::max(roof.gb_per_s, bytes / seconds_since(reading) / 1e9);
  }
  return roof;
}

double measure_near_gb_per_s(const Context& context) {
  constexpr std::size_t kNearFloats = std::size_t{64} << 10U;  // 256 KiB, beyond L1
  constexpr std::size_t kPasses = 2000;                        // some 10 ms
  std::vector<std::vector<float>> memory(context.threads(), std::vector<float>(kNearFloats, 1.0F));
  std::vector<float> sums(context.threads());
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    const Clock::time_point start = Clock::now();
    parallel_for(context, context.threads(), [&](std::size_t t) {
      for (std::size_t pass = 0; pass < kPasses; ++pass) {
        sums[t] += kernels::run_reads(memory[t].data(), kNearFloats);
      }
    });
    const double bytes = static_cast<double>(sizeof(float) * kNearFloats * kPasses) *
                         static_cast<double>(context.threads());
    best = std::max(best, bytes / seconds_since(start) / 1e9);
  }
  return best;
}

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    std::uint64_t kilobytes = 0;
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace mhe::app

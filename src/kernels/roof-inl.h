// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by roof.cc.
#if defined(MHE_KERNELS_ROOF_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_ROOF_INL_H
#undef MHE_KERNELS_ROOF_INL_H
#else
#define MHE_KERNELS_ROOF_INL_H
#endif

#include <cstddef>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double run_multiply_adds(std::size_t iterations) {
  const hn::ScalableTag<float> d;
  // Two a cycle that take four each need eight chains; twelve fit sixteen registers.
  constexpr std::size_t kChains = 12;
  const auto factor = hn::Set(d, 0.999F);
  const auto term = hn::Set(d, 0.001F);
  hn::Vec<decltype(d)> sums[kChains];
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < kChains; ++i) sums[i] = hn::Set(d, static_cast<float>(i));
  for (std::size_t at = 0; at < iterations; ++at) {
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < kChains; ++i) sums[i] = hn::MulAdd(sums[i], factor, term);
  }
  auto all = sums[0];
  for (std::size_t i = 1; i < kChains; ++i) all = hn::Add(all, sums[i]);
  const double flops =
      2.0 * static_cast<double>(kChains * hn::Lanes(d)) * static_cast<double>(iterations);
  // Never true, but the compiler cannot know that the sums are not needed.
  return hn::GetLane(all) > 1e30F ? 0 : flops;
}

float run_reads(const float* from, std::size_t size) {
  const hn::ScalableTag<float> d;
  constexpr std::size_t kChains = 8;  // two loads a cycle, and an addition takes up to four
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sums[kChains];
  HWY_UNROLL(8)
  for (std::size_t i = 0; i < kChains; ++i) sums[i] = hn::Zero(d);
  std::size_t at = 0;
  for (; at + kChains * lanes <= size; at += kChains * lanes) {
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < kChains; ++i) {
      sums[i] = hn::Add(sums[i], hn::LoadU(d, from + at + i * lanes));
    }
  }
  for (std::size_t i = 1; i < kChains; ++i) sums[0] = hn::Add(sums[0], sums[i]);
  float sum = hn::GetLane(hn::SumOfLanes(d, sums[0]));
  for (; at < size; ++at) sum += from[at];
  return sum;
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

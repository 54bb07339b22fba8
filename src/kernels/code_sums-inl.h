// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by code_sums.cc.
#if defined(MHE_KERNELS_CODE_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_CODE_SUMS_INL_H
#undef MHE_KERNELS_CODE_SUMS_INL_H
#else
#define MHE_KERNELS_CODE_SUMS_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/code_sums.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums stay in registers over all heads; a few at a time hide the latency of the gathers.
template <std::size_t Unroll, class D>
HWY_INLINE void sum_some(D d, const CodeTable& table, const float* HWY_RESTRICT scores,
                         std::size_t label, float* HWY_RESTRICT sums) {
  const hn::Rebind<std::uint32_t, D> du;
  const hn::Rebind<std::int32_t, D> di;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<D> total[Unroll];
  for (std::size_t i = 0; i < Unroll; ++i) total[i] = hn::Zero(d);
  const std::uint32_t* HWY_RESTRICT codes = table.codes.data() + label;
  for (const std::uint32_t length : table.lengths) {
    const auto most = hn::Set(du, length);
    for (std::size_t i = 0; i < Unroll; ++i) {
      const auto digit = hn::Min(hn::LoadU(du, codes + i * lanes), most);
      total[i] = hn::Add(total[i], hn::GatherIndex(d, scores, hn::BitCast(di, digit)));
    }
    scores += length + 1;
    codes += table.num_labels;
  }
  for (std::size_t i = 0; i < Unroll; ++i) hn::StoreU(total[i], d, sums + i * lanes);
}

void sum_codes(const CodeTable& table, std::span<const float> scores, std::size_t begin,
               std::span<float> sums) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  constexpr std::size_t kUnroll = 4;
  const std::size_t step = kUnroll * hn::Lanes(d);
  std::size_t i = 0;
  for (; i + step <= sums.size(); i += step) {
    sum_some<kUnroll>(d, table, scores.data(), begin + i, sums.data() + i);
  }
  for (; i < sums.size(); ++i) sum_some<1>(one, table, scores.data(), begin + i, sums.data() + i);
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Included once for every target by losses.cc.
#if defined(MHE_KERNELS_LOSSES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_LOSSES_INL_H
#undef MHE_KERNELS_LOSSES_INL_H
#else
#define MHE_KERNELS_LOSSES_INL_H
#endif

#include <cstddef>
#include <cstring>

#include <hwy/highway.h>

#include "kernels/lanes-inl.h"
#include "kernels/losses.h"

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// exp(x) = 2^n exp(r), |r| <= log(2) / 2, by the series up to r^7: the next term is below 2^-27.
// Beyond the range of normal floats x is taken for its end.
HWY_INLINE LaneVec exp_of(LaneVec x) {
  const LaneTag d;
  const hn::RebindToSigned<LaneTag> di;
  x = hn::Min(hn::Max(x, hn::Set(d, -87.0F)), hn::Set(d, 88.0F));
  const LaneVec n = hn::Round(hn::Mul(x, hn::Set(d, 0x1.715476p+0F)));  // 1 / log 2
  // log 2 in two parts, the first so short that n times it is exact.
  LaneVec r = hn::NegMulAdd(n, hn::Set(d, 0x1.62e4p-1F), x);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.7f7d1cp-20F), r);
  LaneVec sum = hn::Set(d, 1.0F / 5040);
  sum = hn::MulAdd(sum, r, hn::Set(d, 1.0F / 720));
  sum = hn::MulAdd(sum, r, hn::Set(d, 1.0F / 120));
  sum = hn::MulAdd(sum, r, hn::Set(d, 1.0F / 24));
  sum = hn::MulAdd(sum, r, hn::Set(d, 1.0F / 6));
  sum = hn::MulAdd(sum, r, hn::Set(d, 0.5F));
  sum = hn::MulAdd(sum, r, hn::Set(d, 1.0F));
  sum = hn::MulAdd(sum, r, hn::Set(d, 1.0F));
  const auto power = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, n), hn::Set(di, 127)));
  return hn::Mul(sum, hn::BitCast(d, power));
}

// log(1 + t) for t in [0, 1] = 2 artanh(s), s = t / (2 + t) <= 1/3, up to s^13: the next term is
// below 2^-26 of the first.
HWY_INLINE LaneVec log1p_of(LaneVec t) {
  const LaneTag d;
  const LaneVec s = hn::Div(t, hn::Add(t, hn::Set(d, 2.0F)));
  const LaneVec z = hn::Mul(s, s);
  LaneVec sum = hn::Set(d, 2.0F / 13);
  sum = hn::MulAdd(sum, z, hn::Set(d, 2.0F / 11));
  sum = hn::MulAdd(sum, z, hn::Set(d, 2.0F / 9));
  sum = hn::MulAdd(sum, z, hn::Set(d, 2.0F / 7));
  sum = hn::MulAdd(sum, z, hn::Set(d, 2.0F / 5));
  sum = hn::MulAdd(sum, z, hn::Set(d, 2.0F / 3));
  sum = hn::MulAdd(sum, z, hn::Set(d, 2.0F));
  return hn::Mul(sum, s);
}

// `result`, or x itself where that is NaN: clamps and maxima lose it.
HWY_INLINE LaneVec keep_nan(LaneVec x, LaneVec result) {
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

MaxSum max_sum(const float* scores, std::size_t size) {
  const LaneTag d;
  LaneVec most[kLaneParts];
  for (LaneVec& m : most) m = hn::Set(d, scores[0]);
  // What is missing from the last sixteen is its first score again.
  for_each_lanes(scores, size, scores[0], [&](std::size_t part, LaneVec s, std::size_t /*count*/) {
    most[part] = hn::Max(most[part], s);
  });
  const float max = max_lanes(most);
  const LaneVec shift = hn::Set(d, max);
  LaneVec sum[kLaneParts];
  for (LaneVec& s : sum) s = hn::Zero(d);
  for_each_lanes(scores, size, 0, [&](std::size_t part, LaneVec s, std::size_t count) {
    const LaneVec e = keep_nan(s, exp_of(hn::Sub(s, shift)));
    sum[part] = hn::Add(sum[part], keep_first(e, count));
  });
  return {max, add_lanes(sum)};
}

void max_sum_columns(const float* scores, std::size_t stride, std::size_t rows, std::size_t columns,
                     float* max, float* sum) {
  const LaneTag d;
  const std::size_t step = hn::Lanes(d);
  for (std::size_t column = 0; column < columns; column += step) {
    const std::size_t count = HWY_MIN(step, columns - column);
    const auto load = [&](std::size_t row) {
      return load_lanes(scores + row * stride + column, count);
    };
    LaneVec most = load(0);
    for (std::size_t row = 1; row < rows; ++row) most = hn::Max(most, load(row));
    LaneVec total = hn::Zero(d);
    for (std::size_t row = 0; row < rows; ++row) {
      const LaneVec s = load(row);
      total = hn::Add(total, keep_nan(s, exp_of(hn::Sub(s, most))));
    }
    store_lanes(most, max + column, count);
    store_lanes(total, sum + column, count);
  }
}

void scale_exp(float* scores, std::size_t size, float shift, float scale) {
  const LaneTag d;
  map_lanes(scores, size, [&](LaneVec s, std::size_t /*at*/, std::size_t /*count*/) {
    return hn::Mul(exp_of(hn::Sub(s, hn::Set(d, shift))), hn::Set(d, scale));
  });
}

void scale_exp_each(float* scores, std::size_t size, const float* shift, const float* scale) {
  map_lanes(scores, size, [&](LaneVec s, std::size_t at, std::size_t count) {
    const LaneVec e = exp_of(hn::Sub(s, load_lanes(shift + at, count)));
    return hn::Mul(e, load_lanes(scale + at, count));
  });
}

float scale_sigmoid(float* scores, std::size_t size, float scale) {
  const LaneTag d;
  const LaneVec zero = hn::Zero(d);
  const LaneVec one = hn::Set(d, 1.0F);
  LaneVec sum[kLaneParts];
  for (LaneVec& s : sum) s = zero;
  map_lanes(scores, size, [&](LaneVec s, std::size_t at, std::size_t count) {
    const LaneVec t = exp_of(hn::Neg(hn::Abs(s)));
    const auto is_negative = hn::Lt(s, zero);
    // Not Max(s, 0), which is 0 where the score is NaN.
    const LaneVec loss = hn::Add(hn::IfThenZeroElse(is_negative, s), log1p_of(t));
    LaneVec& total = sum[at / hn::Lanes(d) % kLaneParts];
    total = hn::Add(total, keep_first(loss, count));
    const LaneVec top = hn::IfThenElse(is_negative, t, one);
    return hn::Mul(hn::Set(d, scale), hn::Div(top, hn::Add(one, t)));
  });
  return add_lanes(sum);
}

void log_sigmoid(float* scores, std::size_t size) {
  const LaneVec zero = hn::Zero(LaneTag());
  map_lanes(scores, size, [&](LaneVec s, std::size_t /*at*/, std::size_t /*count*/) {
    return hn::Sub(hn::Min(s, zero), log1p_of(exp_of(hn::Neg(hn::Abs(s)))));
  });
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

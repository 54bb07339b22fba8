// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Sixteen lanes, in as many vectors as the machine needs for them: sums over a row are sixteen
// chains, whatever the width of vectors. Included once for every target by other kernels.
#if defined(MHE_KERNELS_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MHE_KERNELS_LANES_INL_H
#undef MHE_KERNELS_LANES_INL_H
#else
#define MHE_KERNELS_LANES_INL_H
#endif

#include <cstddef>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mhe::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLanes = 16;
using LaneTag = hn::CappedTag<float, kLanes>;
using LaneVec = hn::Vec<LaneTag>;
constexpr std::size_t kPartLanes = HWY_MIN(kLanes, HWY_LANES(float));
constexpr std::size_t kLaneParts = kLanes / kPartLanes;

// The lanes of a vector, added in halves.
template <class D>
HWY_INLINE float add_halves(D d, hn::Vec<D> v) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  return hn::GetLane(v);
#else
  if constexpr (MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    return add_halves(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    HWY_ALIGN float lanes[4];
    hn::Store(v, d, lanes);
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  }
#endif
}

// 0 and 8, 1 and 9, ...; then 0 and 4, ...
HWY_INLINE float add_lanes(LaneVec* parts) {
  HWY_UNROLL(4)
  for (std::size_t half = kLaneParts / 2; half > 0; half /= 2) {
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < half; ++i) parts[i] = hn::Add(parts[i], parts[i + half]);
  }
  return add_halves(LaneTag(), parts[0]);
}

HWY_INLINE float max_lanes(const LaneVec* parts) {
  const LaneTag d;
  LaneVec most = parts[0];
  for (std::size_t i = 1; i < kLaneParts; ++i) most = hn::Max(most, parts[i]);
  HWY_ALIGN float lanes[kPartLanes];
  hn::Store(most, d, lanes);
  float max = lanes[0];
  for (std::size_t i = 1; i < kPartLanes; ++i) max = HWY_MAX(max, lanes[i]);
  return max;
}

// The first `count` floats from there on, and `rest` in the other lanes.
HWY_INLINE LaneVec load_lanes(const float* from, std::size_t count, float rest = 0) {
  const LaneTag d;
  if (count >= kPartLanes) return hn::LoadU(d, from);
  HWY_ALIGN float lanes[kPartLanes];
  hn::Store(hn::Set(d, rest), d, lanes);
  std::memcpy(lanes, from, count * sizeof(float));
  return hn::Load(d, lanes);
}

HWY_INLINE void store_lanes(LaneVec v, float* to, std::size_t count) {
  const LaneTag d;
  if (count >= kPartLanes) return hn::StoreU(v, d, to);
  HWY_ALIGN float lanes[kPartLanes];
  hn::Store(v, d, lanes);
  std::memcpy(to, lanes, count * sizeof(float));
}

// Zeros beyond the first `count` lanes.
HWY_INLINE LaneVec keep_first(LaneVec v, std::size_t count) {
  return count >= kPartLanes ? v : hn::IfThenElseZero(hn::FirstN(LaneTag(), count), v);
}

// body(part, vector, count): a vector belongs to the chains of its part; `count` of its lanes are
// of the row, `rest` fills the others.
template <class Body>
HWY_INLINE void for_each_lanes(const float* row, std::size_t size, float rest, const Body& body) {
  std::size_t at = 0;
  for (; at + kLanes <= size; at += kLanes) {
    HWY_UNROLL(16)
    for (std::size_t part = 0; part < kLaneParts; ++part) {
      body(part, hn::LoadU(LaneTag(), row + at + part * kPartLanes), kPartLanes);
    }
  }
  for (std::size_t part = 0; at < size; at += kPartLanes, ++part) {
    const std::size_t count = HWY_MIN(kPartLanes, size - at);
    body(part, load_lanes(row + at, count, rest), count);
  }
}

// row[i] = body(vector, index of its first lane, count)
template <class Body>
HWY_INLINE void map_lanes(float* row, std::size_t size, const Body& body) {
  std::size_t at = 0;
  for (; at + kPartLanes <= size; at += kPartLanes) {
    hn::StoreU(body(hn::LoadU(LaneTag(), row + at), at, kPartLanes), LaneTag(), row + at);
  }
  if (at == size) return;
  store_lanes(body(load_lanes(row + at, size - at), at, size - at), row + at, size - at);
}

}  // namespace mhe::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Dual coordinate descent for many linear classifiers that share their examples: the inner loop of
// training a sparse cascade.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mhe::kernels {

/// Lanes are dealt with in groups: one AVX2 register of floats.
inline constexpr std::size_t kGroupLanes = 8;
/// A column's weights are one cache line: tables of more lanes outgrow the inner caches.
inline constexpr std::size_t kMaxGroups = 2;
inline constexpr std::size_t kMaxLanes = kMaxGroups * kGroupLanes;

/// An example: what a step on it reads, in one place.
struct SweepRow {
  std::uint64_t column_begin = 0;  ///< where its columns begin
  std::uint64_t value_begin = 0;   ///< where its values begin
  std::uint32_t size = 0;          ///< how many it has of both
  float inverse_curvature = 0;     ///< 1 / (|x|^2 + 1 + diagonal)
};

/// L2-regularised squared-hinge problems side by side, one a lane, over the same sparse rows:
///   min_w  |w|^2 / 2 + C sum_i max(0, 1 - y_i (w.x_i + b))^2, the bias being a weight of input 1.
///
/// Lane l of row i has the dual variable duals[i * lanes + l] >= 0; the primal weights follow every
/// step. All arithmetic of a lane happens in the lane, in row order, so results do not depend on
/// the width of the machine's vectors. A row's score is the sum of two: over its columns at even
/// places, with the bias, and at odd ones, so that additions need not wait for each other.
struct SweepProblem {
  const SweepRow* rows = nullptr;
  const std::uint32_t* columns = nullptr;
  const float* values = nullptr;
  const std::uint16_t* positives = nullptr;  ///< per row: bit l set if y = +1 in lane l, else -1
  std::size_t num_groups = 0;                ///< lanes / kGroupLanes, 1 .. kMaxGroups
  std::uint32_t used_lanes = 0;              ///< bit l set if lane l is a problem, not padding
  float diagonal = 0.5F;                     ///< 1 / (2 C)
  float tolerance = 0;                       ///< gradients this small move nothing
  bool keep_zeros = false;                   ///< weights that are 0 stay 0
  float* weights = nullptr;                  ///< [column][lane], aligned to 32 bytes
  float* bias = nullptr;                     ///< [lane], aligned to 32 bytes
  float* duals = nullptr;                    ///< [row][lane], aligned to 32 bytes
  std::uint8_t* active = nullptr;            ///< per row: bit g set if group g is to be visited
};

/// What a sweep visits.
enum class SweepScope {
  kActive,  ///< groups whose bit in `active` is set
  kAll,     ///< every group; `active` is computed anew
};

/// One step on every row of `order`, in that order. A lane whose step would change the dual by less
/// than tolerance * inverse_curvature stays where it is. A group whose lanes all rest (dual 0 and a
/// positive gradient, so the next sweeps would leave them at 0) is taken from `active`.
void dual_sweep(const SweepProblem& problem, std::span<const std::uint32_t> order,
                SweepScope scope) noexcept;

}  // namespace mhe::kernels

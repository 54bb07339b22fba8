// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/head_lengths.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <mhe/label_space.h>

#include "base/check.h"
#include "base/checked.h"

namespace mhe::labels {
namespace {

constexpr std::uint64_t kMaxLabels = std::uint64_t{1} << 62;

// base^exponent * factor, or the largest number if that is too large to count.
std::uint64_t saturated_power(std::uint64_t base, std::size_t exponent, std::uint64_t factor) {
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(factor, base, &factor)) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return factor;
}

std::uint64_t floor_root(std::uint64_t value, std::size_t degree) {
  std::uint64_t low = 1;  // low^degree <= value < high^degree
  std::uint64_t high = value + 1;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (saturated_power(middle, degree, 1) <= value ? low : high) = middle;
  }
  return low;
}

void check_count(std::uint64_t num_labels, std::size_t num_heads) {
  require(num_labels >= 2 && num_labels <= kMaxLabels, "expected 2 to 2^62 labels, got {}",
          num_labels);
  require(num_heads == 1 || max_heads(num_labels) > 1,
          "{} labels are too few for {} heads: a head needs at least two digits; a one-hot head "
          "takes them",
          num_labels, num_heads);
  require(num_heads >= 1 && num_heads <= max_heads(num_labels),
          "{} labels can be spread over 1 to {} heads, not {}: a head needs at least two digits",
          num_labels, max_heads(num_labels), num_heads);
}

// A cascade under examination.
struct Cascade {
  double cost = std::numeric_limits<double>::infinity();
  double capacity = 0;
  std::vector<std::uint32_t> lengths;
};

// With the first length given, the later ones all cost the same: the least sum is best.
std::optional<Cascade> cascade_from(std::uint64_t first, std::uint64_t num_labels,
                                    std::size_t num_heads, const CascadeCost& cost) {
  const std::uint64_t rest = ceil_div(num_labels, first);
  Cascade cascade;
  cascade.lengths = balanced_lengths(rest, num_heads - 1);
  if (cascade.lengths.front() > first) return std::nullopt;
  const std::uint64_t sum =
      std::accumulate(cascade.lengths.begin(), cascade.lengths.end(), std::uint64_t{0});
  cascade.lengths.insert(cascade.lengths.begin(), static_cast<std::uint32_t>(first));
  cascade.cost = static_cast<double>(first) * cost.first + static_cast<double>(sum) * cost.later;
  cascade.capacity = 1;
  for (const std::uint32_t length : cascade.lengths) cascade.capacity *= length;
  return cascade;
}

}  // namespace

std::size_t max_heads(std::uint64_t num_labels) {
  const auto bits = static_cast<std::size_t>(std::bit_width(num_labels - 1));  // ceil(log2)
  return std::clamp<std::size_t>(bits, 1, LabelSpace::kMaxHeads);
}

// Of all lengths with a given sum, those that differ by at most one have the greatest product. So
// the least sum that covers the labels is the least whose even split does, and that split is also
// the most equal of its sum: q or q + 1 each, where q is the root rounded down.
std::vector<std::uint32_t> balanced_lengths(std::uint64_t num_labels, std::size_t num_heads) {
  check_count(num_labels, num_heads);
  const std::uint64_t base = floor_root(num_labels, num_heads);
  std::size_t longer = 0;
  while (saturated_power(base + 1, longer, saturated_power(base, num_heads - longer, 1)) <
         num_labels) {
    ++longer;
  }
  const auto length = checked_cast<std::uint32_t>(base + (longer > 0 ? 1 : 0), "length of a head");
  std::vector<std::uint32_t> lengths(num_heads, static_cast<std::uint32_t>(base));
  std::fill_n(lengths.begin(), longer, length);
  return lengths;
}

// Scans the first length outwards from where the continuous problem has its minimum. The continuous
// cost is convex and never above the true one, so once it exceeds the best cost found, nothing
// better can follow in that direction: the result is exact, after about C^(1/4) steps.
std::vector<std::uint32_t> cascade_lengths(std::uint64_t num_labels, std::size_t num_heads,
                                           const CascadeCost& cost) {
  check_count(num_labels, num_heads);
  require(num_heads >= 2, "a cascade has at least 2 heads, got {}", num_heads);
  const auto labels = static_cast<double>(num_labels);
  const auto later_heads = static_cast<double>(num_heads - 1);
  const auto lower_bound = [&](std::uint64_t first) {
    const auto n = static_cast<double>(first);
    constexpr double kSlack = 1 - 1e-9;  // covers the rounding of pow()
    return kSlack *
           (n * cost.first + cost.later * later_heads * std::pow(labels / n, 1 / later_heads));
  };
  const double optimum = std::pow(cost.later / cost.first * std::pow(labels, 1 / later_heads),
                                  later_heads / static_cast<double>(num_heads));
  // Below the even root no descending lengths exist; above `highest` some later head would have a
  // single digit.
  const std::uint64_t lowest = floor_root(num_labels, num_heads);
  const std::uint64_t highest = std::min<std::uint64_t>((num_labels - 1) >> (num_heads - 2),
                                                        std::numeric_limits<std::uint32_t>::max());
  const auto start = static_cast<std::uint64_t>(
      std::clamp(optimum, static_cast<double>(lowest), static_cast<double>(highest)));
  Cascade best;
  const auto consider = [&](std::uint64_t first) {
    const std::optional<Cascade> found = cascade_from(first, num_labels, num_heads, cost);
    if (found && (found->cost < best.cost ||
                  (found->cost == best.cost && found->capacity < best.capacity))) {
      best = *found;
    }
  };
  for (std::uint64_t n = start; n <= highest && lower_bound(n) <= best.cost; ++n) consider(n);
  for (std::uint64_t n = start; n-- > lowest && lower_bound(n) <= best.cost;) consider(n);
  MHE_ASSERT(!best.lengths.empty());
  return best.lengths;
}

}  // namespace mhe::labels

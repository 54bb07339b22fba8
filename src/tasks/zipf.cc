// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/zipf.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace mhe::tasks {
namespace {

constexpr std::uint64_t kOwnRanks = 1024;
constexpr std::uint64_t kStepsPerOctave = 16;

// The sum of (rank + 1)^-exponent over [first, first + size): one term, or the integral, which for
// ranks of a thousand and more differs from the sum by a millionth.
double weight_of(std::uint64_t first, std::uint64_t size, double exponent) {
  if (size == 1) return std::pow(static_cast<double>(first + 1), -exponent);
  const double begin = static_cast<double>(first) + 0.5;
  const double end = static_cast<double>(first + size) + 0.5;
  if (exponent == 1.0) return std::log(end / begin);
  return (std::pow(end, 1 - exponent) - std::pow(begin, 1 - exponent)) / (1 - exponent);
}

}  // namespace

Zipf::Zipf(std::uint64_t count, double exponent) {
  require(count > 0, "Zipf's law needs something to draw from");
  require(exponent >= 0 && exponent <= 10, "Zipf exponent {}; expected 0 to 10", exponent);
  std::vector<double> weights;
  double sum = 0;
  for (std::uint64_t first = 0; first < count;) {
    const std::uint64_t wanted = first < kOwnRanks ? 1 : first / kStepsPerOctave;
    const std::uint64_t size = std::min(wanted, count - first);
    steps_.push_back({0, first, size});
    weights.push_back(weight_of(first, size, exponent));
    sum += weights.back();
    first += size;
  }
  std::uint64_t threshold = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    threshold += static_cast<std::uint64_t>(std::llround(weights[i] / sum * 0x1.0p32));
    steps_[i].threshold = threshold;
  }
  require(threshold > 0, "Zipf exponent {} leaves nothing to draw", exponent);
}

std::uint64_t Zipf::draw(RandomStream& random) const {
  const std::uint64_t at = random.below(steps_.back().threshold);
  const auto step =
      std::upper_bound(steps_.begin(), steps_.end(), at,
                       [](std::uint64_t value, const Step& s) { return value < s.threshold; });
  return step->first + (step->size == 1 ? 0 : random.below(step->size));
}

}  // namespace mhe::tasks

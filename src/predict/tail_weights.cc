// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/tail_weights.h"

#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace mhe::predict {

TailWeights::TailWeights(std::span<const std::uint32_t> counts, std::uint64_t num_rows, double tail)
    : counts_(counts), curve_(num_rows), tail_(tail) {
  require(tail >= 0 && tail <= 1, "tail {}; expected 0 to 1", tail);
  if (tail == 0) return;
  // 4 KB, some 50 us to fill; the few labels above it cost three functions of libm each.
  constexpr std::size_t kTable = 1024;
  by_count_.reserve(kTable);
  for (std::size_t count = 0; count < kTable; ++count) by_count_.push_back(weight_of(count));
}

float TailWeights::operator()(LabelId label) const noexcept {
  const std::uint32_t count = counts_[index_of(label)];
  return count < by_count_.size() ? by_count_[count] : weight_of(count);
}

float TailWeights::weight_of(std::uint64_t count) const noexcept {
  return static_cast<float>(std::pow(curve_(count), -tail_));
}

}  // namespace mhe::predict

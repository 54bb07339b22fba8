// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics/frequency_bins.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <mhe/metrics.h>

#include "base/check.h"

namespace mhe::metrics {

FrequencyBins::FrequencyBins(std::vector<std::uint64_t> bounds) : bounds_(std::move(bounds)) {
  const auto out_of_order = std::adjacent_find(
      bounds_.begin(), bounds_.end(), [](auto before, auto after) { return before >= after; });
  if (out_of_order == bounds_.end()) return;
  fail(ErrorCode::kInvalidArgument, "frequency bounds must ascend, but {} is followed by {}",
       out_of_order[0], out_of_order[1]);
}

std::size_t FrequencyBins::bin_of(std::uint64_t count) const noexcept {
  const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), count);
  return static_cast<std::size_t>(bound - bounds_.begin());
}

std::string FrequencyBins::name(std::size_t bin) const {
  MHE_ASSERT(bin < size());
  if (bin == bounds_.size()) return bounds_.empty() ? "all" : fmt::format(">{}", bounds_.back());
  const std::uint64_t last = bounds_[bin];
  const std::uint64_t first = bin == 0 ? 0 : bounds_[bin - 1] + 1;
  return first == last ? fmt::format("{}", last) : fmt::format("{}-{}", first, last);
}

}  // namespace mhe::metrics

namespace mhe {

std::vector<std::uint64_t> default_frequency_bounds() {
  return {0, 5, 20, 100, 1000};
}

}  // namespace mhe

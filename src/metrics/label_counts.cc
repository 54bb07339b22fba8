// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics/label_counts.h"

namespace mhe::metrics {

void LabelPlaces::assign(std::span<LabelEvent> events) {
  for (LabelEvent& event : events) {
    if (event.label >= places_.size()) places_.resize(std::size_t{event.label} + 1, 0);
    std::uint32_t& place = places_[event.label];
    if (place == 0) {
      labels_.push_back(LabelId{event.label});
      place = static_cast<std::uint32_t>(labels_.size());
    }
    event.label = place - 1;
  }
}

void LabelCounts::add(std::span<const LabelEvent> events, std::uint32_t times) {
  for (const LabelEvent& event : events) {
    std::uint32_t* counts = counts_.data() + event.label * stride();
    if (event.is_true) counts[0] += times;
    if (event.cutoff < num_cutoffs_) {
      counts[1 + 2 * event.cutoff] += times;
      if (event.is_true) counts[2 + 2 * event.cutoff] += times;
    }
    if (event.above_threshold) {
      counts[1 + 2 * num_cutoffs_] += times;
      if (event.is_true) counts[2 + 2 * num_cutoffs_] += times;
    }
  }
}

}  // namespace mhe::metrics

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics/label_counts.h"

namespace mhe::metrics {

void LabelPlaces::assign(std::span<LabelEvent> events) {
  for (LabelEvent& event : events) {
    const auto [place, is_new] =
        places_.try_emplace(event.label, static_cast<std::uint32_t>(labels_.size()));
    if (is_new) labels_.push_back(LabelId{event.label});
    event.label = place->second;
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

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "metrics/row_scorer.h"

namespace mhe::metrics {

/// Gives the labels that occur consecutive places, so that nothing need cover all label ids: of
/// 10^8 few occur.
class LabelPlaces {
 public:
  /// Replaces the label of every event by its place; labels met first come first.
  void assign(std::span<LabelEvent> events);

  [[nodiscard]] std::span<const LabelId> labels() const noexcept { return labels_; }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> places_;  // by label id
  std::vector<LabelId> labels_;                              // of each place
};

/// How often each label is true, predicted, and both, by the first cutoff it is ranked within.
class LabelCounts {
 public:
  explicit LabelCounts(std::size_t num_cutoffs) : num_cutoffs_(num_cutoffs) {}

  /// Counts events, whose labels are places, `times` times.
  void add(std::span<const LabelEvent> events, std::uint32_t times);
  void resize(std::size_t places) { counts_.resize(places * stride(), 0); }
  void reset() { counts_.assign(counts_.size(), 0); }

  [[nodiscard]] std::size_t size() const noexcept { return counts_.size() / stride(); }
  [[nodiscard]] std::uint32_t num_true(std::size_t place) const noexcept { return of(place)[0]; }
  /// Index num_cutoffs stands for the threshold; others count ranks from the cutoff before on.
  [[nodiscard]] std::uint32_t predicted(std::size_t place, std::size_t cutoff) const noexcept {
    return of(place)[1 + 2 * cutoff];
  }
  [[nodiscard]] std::uint32_t hits(std::size_t place, std::size_t cutoff) const noexcept {
    return of(place)[2 + 2 * cutoff];
  }

 private:
  [[nodiscard]] std::size_t stride() const noexcept { return 1 + 2 * (num_cutoffs_ + 1); }
  [[nodiscard]] const std::uint32_t* of(std::size_t place) const noexcept {
    return counts_.data() + place * stride();
  }

  std::size_t num_cutoffs_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace mhe::metrics

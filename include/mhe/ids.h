// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Ids are types, so that a label cannot be passed where a feature is meant; labels with scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mhe {

/// A label: dense, from 0. Equal scores are ordered by the smaller one.
enum class LabelId : std::uint32_t {};
/// A column of the input.
enum class FeatureId : std::uint32_t {};

/// A label and how well it fits: the higher the better. What a calibrated model gives is the
/// probability that the label is true.
struct ScoredLabel {
  LabelId label{};
  float score = 0;

  friend bool operator==(const ScoredLabel&, const ScoredLabel&) = default;
};

/// Labels that are true together while no other is, and how probable that is.
struct LabelSet {
  std::vector<LabelId> labels;  ///< ascending; may be empty
  float probability = 0;
};

/// The id as a position in an array.
template <class Id>
[[nodiscard]] constexpr std::size_t index_of(Id id) noexcept {
  return static_cast<std::size_t>(id);
}

}  // namespace mhe

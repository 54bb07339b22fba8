// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/cascade_nodes.h"

#include <limits>

#include <mhe/label_space.h>

#include "base/check.h"

namespace mhe::heads {

CascadeNodes::CascadeNodes(const HeadSpec& spec)
    : lengths_(spec.lengths.begin(), spec.lengths.end()), end_(spec.num_labels) {
  require(lengths_.size() >= 2, "a cascade has at least two lengths, got {}", lengths_.size());
  // Refuses lengths of 0 and lengths that do not cover the labels.
  const LabelSpace space(spec.num_labels, spec.lengths);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  require(space.capacity() && *space.capacity() <= kMost,
          "a cascade of {} has a row for each of its numbers; at most {} are supported",
          space.describe(), kMost);
  require(spec.candidates >= 1 && spec.candidates <= lengths_[0],
          "{} candidates of {} groups: it must be 1 to {}", spec.candidates, lengths_[0],
          lengths_[0]);
  require(spec.inner_dim >= 1 && spec.inner_dim <= spec.dim,
          "inner width {}: it must be 1 to the width of the features, {}", spec.inner_dim,
          spec.dim);
  strides_.resize(lengths_.size());
  for (std::size_t level = lengths_.size(); level-- > 0;) {
    strides_[level] = num_positions_;
    num_positions_ *= lengths_[level];
  }
}

}  // namespace mhe::heads

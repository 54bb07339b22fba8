// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a cascade: node p of level h stands for the positions that begin with its digits,
// and its children at the next level are n_{h+1} consecutive nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heads/registry.h"

namespace mhe::heads {

class CascadeNodes {
 public:
  /// Throws kInvalidArgument for a spec that cannot be a cascade.
  explicit CascadeNodes(const HeadSpec& spec);

  [[nodiscard]] std::size_t num_levels() const noexcept { return lengths_.size(); }
  /// n_h, levels from 0.
  [[nodiscard]] std::size_t length(std::size_t level) const noexcept { return lengths_[level]; }
  /// n_1 * ... * n_h
  [[nodiscard]] std::size_t num_nodes(std::size_t level) const noexcept {
    return num_positions() / strides_[level];
  }
  [[nodiscard]] std::size_t num_positions() const noexcept { return num_positions_; }
  /// The node of a level that a position lies in.
  [[nodiscard]] std::size_t node_of(std::size_t position, std::size_t level) const noexcept {
    return position / strides_[level];
  }

  /// Labels stand below this position; the nodes beyond are never chosen.
  void set_end(std::size_t end) noexcept { end_ = end; }
  /// This many nodes of a level come before the first that is never chosen.
  [[nodiscard]] std::size_t num_used(std::size_t level) const noexcept {
    return (end_ + strides_[level] - 1) / strides_[level];
  }

 private:
  std::vector<std::size_t> lengths_;
  std::vector<std::size_t> strides_;  // positions of a node
  std::size_t num_positions_ = 1;
  std::size_t end_ = 0;
};

/// Nodes of the level above the last, where there are most parents to choose from. A level with
/// fewer nodes than candidates trains all of them. `lengths` must be those of a cascade.
[[nodiscard]] std::uint64_t most_parents(std::span<const std::uint32_t> lengths);

/// Of the tables and projections.
[[nodiscard]] std::uint64_t cascade_weight_bytes(const HeadSpec& spec);
/// See training_bytes().
[[nodiscard]] std::uint64_t cascade_training_bytes(const HeadSpec& spec, const BatchShape& shape);

}  // namespace mhe::heads

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The best lengths for a given number of heads. All lengths are at least 2 and cover the labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mhe::labels {

/// More heads than this would leave some with a single digit, which decides nothing.
[[nodiscard]] std::size_t max_heads(std::uint64_t num_labels);

/// The lengths with the least sum, and of those the most equal; descending. 1 <= num_heads <=
/// max_heads(), num_labels <= 2^62, num_heads 1 only below 2^32 labels; else kInvalidArgument.
[[nodiscard]] std::vector<std::uint32_t> balanced_lengths(std::uint64_t num_labels,
                                                          std::size_t num_heads);

/// What a unit of length costs at the first and at later levels of a cascade.
struct CascadeCost {
  double first = 1;  ///< d
  double later = 1;  ///< K * d_h
};

/// Descending lengths with the least n_1 * first + (n_2 + ... + n_H) * later; of equals, those with
/// the fewest phantoms. num_heads >= 2.
[[nodiscard]] std::vector<std::uint32_t> cascade_lengths(std::uint64_t num_labels,
                                                         std::size_t num_heads,
                                                         const CascadeCost& cost);

}  // namespace mhe::labels

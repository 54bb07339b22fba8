// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Scores of labels that are sums over their digits: the scan of product heads with a table of
// codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mhe::kernels {

/// Digits of labels, head by head.
struct CodeTable {
  std::span<const std::uint32_t> codes;    ///< [head][label]; whatever its bytes are
  std::span<const std::uint32_t> lengths;  ///< [head]
  std::size_t num_labels = 0;
};

/// sums[label - begin] = sum_h scores_h[digit of the label in head h], added in the order of the
/// heads, for the labels [begin, begin + sums.size()). `scores` holds for each head as many numbers
/// as its length and one more, which a digit out of range counts as. At most 2^31 scores.
void sum_codes(const CodeTable& table, std::span<const float> scores, std::size_t begin,
               std::span<float> sums) noexcept;

}  // namespace mhe::kernels

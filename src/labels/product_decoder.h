// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The k best labels of sums of product heads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/label_space.h>

#include "labels/k_best.h"

namespace mhe::labels {

/// Decodes p(y) = sum_g gate_g * prod_h p_g^h(y_h) exactly. With one group this is KBestDecoder.
///
/// With more, the best of each group are taken, more and more of them, until no label that none of
/// them holds can be better: its probability is at most the sum over the groups of gate times the
/// last probability taken. Equal probabilities by the smaller label.
///
/// Holds scratch space and results; no call allocates once a call as large has been made. One
/// object serves one thread.
class ProductDecoder {
 public:
  ProductDecoder(const LabelSpace& space, std::size_t rank);

  [[nodiscard]] const LabelSpace& space() const noexcept { return groups_.front().space(); }

  /// Finds the min(k, C) best labels and returns their number. `probabilities` holds those of the
  /// heads of the first group, of the second, and so on; `gates` one a group, or none if there is
  /// one group. Throws kInvalidArgument as KBestDecoder::decode() does.
  std::size_t decode(std::span<const float> probabilities, std::span<const float> gates,
                     std::size_t k);

  /// Results of the last decode(), the best at rank 0.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const std::uint32_t> digits(std::size_t rank) const;
  [[nodiscard]] double probability(std::size_t rank) const;

 private:
  struct Candidate {
    double probability;
    std::uint32_t group;
    std::uint32_t rank;  // in the group
  };

  [[nodiscard]] std::span<const std::uint32_t> digits_of(const Candidate& candidate) const;
  [[nodiscard]] double probability_of(std::span<const std::uint32_t> digits,
                                      std::span<const float> probabilities,
                                      std::span<const float> gates) const;
  [[nodiscard]] bool is_before(const Candidate& a, const Candidate& b) const;
  double collect(std::span<const float> probabilities, std::span<const float> gates,
                 std::size_t depth);

  std::vector<KBestDecoder> groups_;
  std::size_t group_size_ = 0;
  std::vector<Candidate> candidates_;
  std::size_t size_ = 0;
};

/// The probability that heads give to digits of no label. `probabilities` are those of one group,
/// each head summing to 1.
[[nodiscard]] double phantom_mass(const LabelSpace& space, std::span<const float> probabilities);

}  // namespace mhe::labels

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The k best labels of sums of product heads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mhe/label_space.h>

#include "labels/k_best.h"

namespace mhe::labels {

/// The k best labels of p(y) = sum_g gate_g * prod_h p_g^h(y_h) by looking at all labels: for
/// distributions so flat that the best of each group say little about the best of the sum.
///
/// Digits go from the first head to the last, and what cannot lead to one of the k best is left
/// out. At worst, that is with noise for probabilities, C * G products; memory for k labels.
/// Equal probabilities by the smaller label. Holds scratch space and results; one object serves one
/// thread.
class ProductScan {
 public:
  /// The labels of the space must have numbers.
  ProductScan(LabelSpace space, std::size_t rank);

  struct Found {
    double probability;
    std::uint64_t label;
  };
  /// Best first; valid until the next call. `least`: k labels are known to have as much.
  [[nodiscard]] std::span<const Found> run(std::span<const float> probabilities,
                                           std::span<const float> gates, std::size_t k,
                                           double least);

 private:
  [[nodiscard]] bool may_enter(double probability) const noexcept;
  [[nodiscard]] const float* head(std::size_t group, std::size_t head) const noexcept;
  [[nodiscard]] double bound(std::size_t num_heads) const noexcept;
  void extend(std::size_t head, std::uint64_t prefix);
  void scan_last(std::uint64_t prefix);
  void offer(const Found& item);

  LabelSpace space_;
  std::size_t rank_;
  std::size_t group_size_ = 0;
  std::vector<std::size_t> head_begin_;   // [head] in a group
  std::vector<std::uint64_t> strides_;    // [head]: labels that share its digit and those before
  std::span<const float> probabilities_;  // of the call in progress
  std::vector<double> most_;              // [head][group]: its greatest probability
  std::vector<double> products_;          // [head][group]: of the digits before it, with the gate
  std::vector<double> sums_;              // of a block of labels
  std::size_t k_ = 0;
  double least_ = 0;
  std::vector<Found> best_;  // a heap with the worst in front
};

/// Decodes p(y) = sum_g gate_g * prod_h p_g^h(y_h) exactly, equal probabilities by the smaller
/// label. With one group this is KBestDecoder.
///
/// With more, the best of each group are taken, more and more of them, until no label that none of
/// them holds can be as good: its probability is at most the sum over the groups of gate times the
/// last probability taken. Where predictions are so flat that the kScanDepth best of each group are
/// not enough, all labels are looked at (ProductScan). More than kMostScanned labels are too many
/// for that: of such a space, the answer is the best of the kMostDepth best of each group, and may
/// miss a label that is among those of none.
///
/// Holds scratch space and results; no call allocates once a call as large has been made. One
/// object serves one thread.
class ProductDecoder {
 public:
  /// Predictions that are sure of something need fewer; decoding more costs more than a scan.
  static constexpr std::size_t kScanDepth = 128;
  /// Some ten milliseconds a group.
  static constexpr std::size_t kMostDepth = 16384;
  /// A tenth of a second a group if nothing could be left out.
  static constexpr std::uint64_t kMostScanned = std::uint64_t{1} << 28U;

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
    std::uint32_t group;  // kScanned: none
    std::uint32_t rank;   // in the group
  };
  static constexpr std::uint32_t kScanned = ~std::uint32_t{0};

  [[nodiscard]] std::span<const std::uint32_t> digits_of(const Candidate& candidate) const;
  [[nodiscard]] double probability_of(std::span<const std::uint32_t> digits,
                                      std::span<const float> probabilities,
                                      std::span<const float> gates) const;
  [[nodiscard]] bool is_before(const Candidate& a, const Candidate& b) const;
  double collect(std::span<const float> probabilities, std::span<const float> gates,
                 std::size_t depth);
  void scan(std::span<const float> probabilities, std::span<const float> gates, std::size_t k);

  std::vector<KBestDecoder> groups_;
  std::size_t group_size_ = 0;
  std::vector<Candidate> candidates_;
  std::optional<ProductScan> scan_;            // once it was needed
  std::vector<std::uint32_t> scanned_digits_;  // [rank][head]
  std::size_t size_ = 0;
};

/// The probability that heads give to digits of no label. `probabilities` are those of one group,
/// each head summing to 1.
[[nodiscard]] double phantom_mass(const LabelSpace& space, std::span<const float> probabilities);

}  // namespace mhe::labels

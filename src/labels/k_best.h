// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The k best labels of product heads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/label_space.h>

namespace mhe::labels {

/// Decodes product heads: the k labels with the greatest product of their digits' probabilities.
///
/// A label's score is the sum of its digits' log-probabilities, each rounded to a multiple of
/// 2^-40. Such sums are exact, so the ranking is a fact about the scores and not about the order of
/// additions: it is that of a full scan, equal scores by the smaller label. (Rounding moves a
/// probability by less than 10^-12 of itself.) Labels with a digit of probability 0 come last, in
/// label order. Phantoms are never returned, nor looked at.
///
/// Heads are joined one after another. Since a better prefix stays better under any continuation,
/// only the k best prefixes are kept, found by a best-first search over (kept prefixes) x (sorted
/// digits) that visits k pairs. O(sum n + H k log k), whatever the number of phantoms.
///
/// Holds the scratch space and the results of the last call, at most 56 bytes for each of H * k
/// and 180 for each of k; no call allocates once a call as large has been made. One object serves
/// one thread.
class KBestDecoder {
 public:
  explicit KBestDecoder(LabelSpace space);

  [[nodiscard]] const LabelSpace& space() const noexcept { return space_; }

  /// Finds the min(k, C) best labels and returns their number. `scores` holds n_1 probabilities of
  /// the first head, then n_2 of the second, and so on; they need not sum to 1. (Logits would not
  /// do: their product ranks labels wrongly as soon as two are negative.) Throws kInvalidArgument
  /// for NaN, a negative or infinite score or a wrong number of scores; there are then no results.
  std::size_t decode(std::span<const float> scores, std::size_t k);

  /// Results of the last decode().
  [[nodiscard]] std::size_t size() const noexcept { return log_probs_.size(); }
  /// Digits of the label at `rank`, 0 the best.
  [[nodiscard]] std::span<const std::uint32_t> digits(std::size_t rank) const;
  /// Log of the product of the probabilities; minus infinity for 0.
  [[nodiscard]] double log_prob(std::size_t rank) const;

 private:
  // A digit of one head; `score` is a rank key at first, then the log-probability in units.
  struct Digit {
    std::int64_t score;
    std::uint32_t digit;
  };
  // The digits of heads 1 .. h; the digits before the last are those of `parent`, in the list of
  // the level above.
  struct Prefix {
    std::int64_t score;
    std::uint32_t parent;
    std::uint32_t digit;
    std::uint32_t label_rank;  // its place among the prefixes of its level by label
  };
  // A pair on the frontier: prefix `row` of the level above with the digit at `column`.
  struct Pair {
    std::int64_t score;
    std::uint32_t row;
    std::uint32_t column;
    std::uint32_t row_rank;  // label_rank of the row
    std::uint32_t digit;
  };

  void find_possible(std::size_t k);
  void extend(std::size_t head, std::size_t k);
  void advance_boundary(std::size_t head);
  void rank_by_label(std::size_t head);
  void select_digits(std::size_t head, std::uint32_t bound, std::size_t k,
                     std::vector<Digit>& out) const;
  void emit_possible(std::size_t k);
  void emit_impossible(std::size_t k);
  void emit(std::span<const std::uint32_t> digits, double log_prob);
  [[nodiscard]] static bool later(const Pair& a, const Pair& b) noexcept;

  LabelSpace space_;
  std::vector<std::size_t> head_begin_;  // where each head's scores begin
  std::span<const float> scores_;        // of the call in progress

  std::vector<std::vector<Prefix>> levels_;  // [head]: its k best prefixes off the boundary
  std::vector<Prefix> boundary_;  // [head]: the prefix that agrees with the last label so far
  bool boundary_possible_ = true;
  std::vector<Digit> digits_;           // of the head being joined, best first
  std::vector<Digit> boundary_digits_;  // those below the last label's digit, best first
  std::vector<Pair> frontier_;
  std::vector<std::uint32_t> by_label_;
  std::vector<std::uint32_t> tuple_;

  std::vector<std::uint32_t> result_digits_;  // [rank][head]
  std::vector<double> log_probs_;             // [rank]
};

}  // namespace mhe::labels

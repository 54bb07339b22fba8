// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The label space: labels as mixed-radix numbers whose digits are what the heads predict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mhe {

/// C labels laid out over heads of lengths n_1 .. n_H: label y has digits y_1 .. y_H, most
/// significant first (Eq. 14), and y = sum_k y_k * n_{k+1} * ... * n_H (Eq. 15).
///
/// The lengths must cover the labels: n_1 * ... * n_H >= C. What they cover beyond is phantoms:
/// numbers from C up, which no head may ever return. Digits are the native form of a label; its
/// number exists where it fits 64 bits. Numbers are std::uint64_t and not LabelId because a space
/// of combinations holds more labels than a LabelId can tell apart.
///
/// Immutable; safe to read from many threads. All functions check their arguments and throw
/// kInvalidArgument; none but constructors and those that return vectors allocate.
class LabelSpace {
 public:
  static constexpr std::size_t kMaxHeads = 64;

  /// Labels 0 .. num_labels-1. Throws kInvalidArgument unless there are 1 .. 64 lengths, all at
  /// least 1, whose product is at least num_labels >= 1.
  LabelSpace(std::uint64_t num_labels, std::vector<std::uint32_t> lengths);

  /// Every combination of digits is a label: no phantoms. The product may exceed 64 bits.
  [[nodiscard]] static LabelSpace full(std::vector<std::uint32_t> lengths);

  /// The labels from all-zero digits to `last_label` inclusive, for counts beyond 64 bits.
  [[nodiscard]] static LabelSpace up_to(std::vector<std::uint32_t> lengths,
                                        std::span<const std::uint32_t> last_label);

  /// All subsets of `num_binary_labels` labels: each head holds its share of them as bits, the
  /// first heads one more where the shares are not even. At most 31 bits a head.
  [[nodiscard]] static LabelSpace powerset(std::size_t num_binary_labels, std::size_t num_heads);

  [[nodiscard]] std::size_t num_heads() const noexcept { return lengths_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> lengths() const noexcept { return lengths_; }
  /// Digits of the largest label, C - 1.
  [[nodiscard]] std::span<const std::uint32_t> last_label() const noexcept { return last_label_; }

  /// C, or nothing if it is 2^64 or more.
  [[nodiscard]] std::optional<std::uint64_t> num_labels() const noexcept { return num_labels_; }
  /// n_1 * ... * n_H, or nothing if it is 2^64 or more.
  [[nodiscard]] std::optional<std::uint64_t> capacity() const noexcept { return capacity_; }

  /// Whether these digits, each below its length, stand for no label. O(H).
  [[nodiscard]] bool is_phantom(std::span<const std::uint32_t> digits) const;
  /// Whether this number stands for no label; needs C below 2^64.
  [[nodiscard]] bool is_phantom(std::uint64_t label) const;

  /// Writes the H digits of a label; refuses phantoms.
  void digits(std::uint64_t label, std::span<std::uint32_t> out) const;
  /// The same for many labels; `out` is [label][head].
  void digits(std::span<const std::uint64_t> labels, std::span<std::uint32_t> out) const;

  /// The number of the label with these digits; refuses phantoms. Needs C below 2^64.
  [[nodiscard]] std::uint64_t label(std::span<const std::uint32_t> digits) const;
  /// The same for many labels; `digits` is [label][head].
  void labels(std::span<const std::uint32_t> digits, std::span<std::uint64_t> out) const;

  /// How many binary labels the heads hold as bits; needs lengths that are powers of two.
  [[nodiscard]] std::size_t num_binary_labels() const;
  /// Digits of a set of binary labels, in any order. The first binary label is the most significant
  /// bit of the first head. Refuses a label named twice and sets that are phantoms.
  void set_digits(std::span<const std::uint32_t> members, std::span<std::uint32_t> out) const;
  /// The set of binary labels behind these digits, ascending.
  [[nodiscard]] std::vector<std::uint32_t> set_members(std::span<const std::uint32_t> digits) const;

  /// "37 x 37 x 36 x 36", for messages.
  [[nodiscard]] std::string describe() const;

  friend bool operator==(const LabelSpace&, const LabelSpace&) = default;

 private:
  LabelSpace(std::vector<std::uint32_t> lengths, std::vector<std::uint32_t> last_label);

  void check_digits(std::span<const std::uint32_t> digits) const;
  void check_label(std::uint64_t label) const;
  void digits_unchecked(std::uint64_t label, std::span<std::uint32_t> out) const noexcept;
  [[nodiscard]] bool is_phantom_unchecked(std::span<const std::uint32_t> digits) const noexcept;

  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint32_t> last_label_;
  std::optional<std::uint64_t> num_labels_;
  std::optional<std::uint64_t> capacity_;
};

}  // namespace mhe

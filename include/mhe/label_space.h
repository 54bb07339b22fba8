// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The label space: what labels are called, labels as mixed-radix numbers whose digits are what the
// heads predict, and which label gets which digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>
#include <mhe/ids.h>
#include <mhe/input.h>

namespace mhe {

/// The names of labels: a dictionary between strings and ids that only grows, so ids are stable.
///
/// Formats that number their labels start with numbered(C): label i is called "i" and costs no
/// memory. A name that is not such a number gets the next free id, as every name does otherwise, in
/// order of first appearance. To find labels never seen in training, remember size() after reading
/// the training data: later ids are unseen.
class LabelNames {
 public:
  LabelNames() = default;

  /// Labels 0 .. count-1, called by their numbers.
  [[nodiscard]] static LabelNames numbered(std::size_t count);

  [[nodiscard]] std::size_t size() const noexcept { return num_numbered_ + strings_.rows(); }

  /// How many labels, from 0, are called by their numbers.
  [[nodiscard]] std::size_t num_numbered() const noexcept { return num_numbered_; }

  /// Whether extend_numbered(count) would succeed.
  [[nodiscard]] bool can_extend_numbered(std::size_t count) const noexcept {
    return count <= num_numbered_ || strings_.rows() == 0;
  }

  /// Makes labels 0 .. count-1 numbered if there are no labels yet or all so far are numbered;
  /// otherwise throws kInvalidData. Never takes labels away.
  void extend_numbered(std::size_t count);

  /// The id of `name`, new if need be. Throws kResourceLimit past 2^32 - 2 labels.
  LabelId intern(std::string_view name);

  [[nodiscard]] std::optional<LabelId> find(std::string_view name) const;

  /// The name of a label. Throws kInvalidArgument if there is no such label.
  [[nodiscard]] std::string name(LabelId id) const;

 private:
  [[nodiscard]] std::optional<LabelId> find_numbered(std::string_view name) const;
  [[nodiscard]] std::size_t slot_of(std::string_view name) const;  // its slot or a free one
  void grow();

  std::size_t num_numbered_ = 0;
  Strings strings_;                   // names of ids num_numbered_ and up
  std::vector<std::uint32_t> slots_;  // open addressing: index into strings_ + 1, or 0 if free
};

/// C labels laid out over heads of lengths n_1 .. n_H: label y has digits y_1 .. y_H, most
/// significant first (Eq. 10), and y = sum_k y_k * n_{k+1} * ... * n_H (Eq. 11).
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

  /// Whether these digits, each below its length, are a phantom: no label has them. O(H).
  [[nodiscard]] bool is_phantom(std::span<const std::uint32_t> digits) const;

  /// Writes the H digits of a label; refuses phantoms.
  void digits(std::uint64_t label, std::span<std::uint32_t> out) const;

  /// The number of the label with these digits; refuses phantoms. Needs C below 2^64.
  [[nodiscard]] std::uint64_t label(std::span<const std::uint32_t> digits) const;

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

/// Where the positions without a label go when the lengths cover more than there are.
enum class Placement {
  kSpread,   ///< evenly, so that groups stay balanced
  kCompact,  ///< to the end: labels take positions 0 .. C-1, as LabelSpace(C, lengths) and
             ///< KBestDecoder expect
};

/// A one-to-one map from labels 0 .. C-1 to positions below n_1 * ... * n_H. Immutable. About 12
/// bytes a label.
class LabelOrder {
 public:
  /// `positions[label]`; lengths as for LabelSpace, with a product below 2^64. Throws
  /// kInvalidArgument if a position is out of range or given twice.
  LabelOrder(std::vector<std::uint32_t> lengths, std::vector<std::uint64_t> positions);

  [[nodiscard]] std::size_t num_labels() const noexcept { return positions_.size(); }
  /// All positions, with or without a label.
  [[nodiscard]] const LabelSpace& space() const noexcept { return space_; }
  /// [label]
  [[nodiscard]] std::span<const std::uint64_t> positions() const noexcept { return positions_; }
  /// All labels, by ascending position.
  [[nodiscard]] std::span<const LabelId> labels() const noexcept { return labels_; }

  /// Throws kInvalidArgument if there is no such label.
  [[nodiscard]] std::uint64_t position(LabelId label) const;
  /// The label at a position, or none. O(log C). Throws kInvalidArgument if it is out of range.
  [[nodiscard]] std::optional<LabelId> label_at(std::uint64_t position) const;
  /// Digits of the label's position.
  void digits(LabelId label, std::span<std::uint32_t> out) const;

  friend bool operator==(const LabelOrder&, const LabelOrder&) = default;

 private:
  LabelSpace space_;
  std::vector<std::uint64_t> positions_;
  std::vector<LabelId> labels_;
};

/// Examples of each label. Throws kInvalidArgument for a label from num_labels up.
[[nodiscard]] std::vector<std::uint64_t> label_counts(const Ragged<LabelId>& labels,
                                                      std::size_t num_labels);

/// The two constants of the propensity model (Jain, Prabhu and Varma, KDD 2016).
struct PropensityModel {
  double a = 0.55;
  double b = 1.5;
};

/// "default" (A 0.55, B 1.5), "wikipedia" (0.5, 0.4) or "amazon" (0.6, 2.6), as in that paper.
/// Throws kInvalidArgument, listing the names, for any other.
[[nodiscard]] PropensityModel propensity_preset(std::string_view name);

/// The propensity of a label by the number of its examples, among `num_examples`; see
/// propensities(). Throws as that does.
class PropensityCurve {
 public:
  explicit PropensityCurve(std::uint64_t num_examples, const PropensityModel& model = {});
  [[nodiscard]] double operator()(std::uint64_t count) const noexcept;

 private:
  PropensityModel model_;
  double c_;
};

/// p_l = 1 / (1 + c exp(-A log(N_l + B))), c = (log N - 1)(B + 1)^A, with N examples of which N_l
/// have label l. Below N = e the formula leaves (0, 1]; c is then taken as 0 and all p_l are 1.
/// Throws kInvalidArgument unless A and B are finite, A >= 0 and B > 0.
[[nodiscard]] std::vector<double> propensities(std::span<const std::uint64_t> counts,
                                               std::uint64_t num_examples,
                                               const PropensityModel& model = {});

struct CentroidOptions {
  std::size_t num_labels = 0;
  std::size_t max_terms = 0;  ///< keep this many largest entries of a centroid; 0: all
};

/// A row a label: the sum of the rows of its examples, scaled to unit length; empty for labels
/// without examples. Throws kInvalidArgument if rows or labels do not match.
///
/// Memory beside the result, which max_terms bounds: at most 16 bytes a feature for each thread, 8
/// bytes a label of an example, 16 a label, and an eighth of the result while its parts are joined.
/// The same for any number of threads.
[[nodiscard]] SparseMatrix label_centroids(const Context& context, const SparseMatrix& features,
                                           const Ragged<LabelId>& labels,
                                           const CentroidOptions& options);

/// Position = id.
[[nodiscard]] LabelOrder identity_order(std::size_t num_labels, std::vector<std::uint32_t> lengths);

/// A random permutation of the slots.
[[nodiscard]] LabelOrder random_order(std::size_t num_labels, std::vector<std::uint32_t> lengths,
                                      std::uint64_t seed, Placement placement = Placement::kSpread);

/// Gives the groups of every level about the same number of examples: labels are dealt out from
/// the most frequent on, each to the lightest group with room, and so again within groups.
/// `counts[label]` are examples. O(H C log n).
[[nodiscard]] LabelOrder frequency_order(std::span<const std::uint64_t> counts,
                                         std::vector<std::uint32_t> lengths,
                                         Placement placement = Placement::kSpread);

struct ClusterOptions {
  std::int32_t max_iterations = 8;  ///< of 2-means a split; a split rarely changes after
  Placement placement = Placement::kSpread;
};

/// Puts similar labels into the same groups: from the first digit on, groups are halved again and
/// again by balanced 2-means on the cosine of label centroids until each is one digit. Labels that
/// differ in the last digit only stand by id.
///
/// `centroids` has a row a label, of unit length (see label_centroids()); empty rows are allowed.
/// Uses the Context's seed and threads; the result does not depend on the number of threads. Work
/// memory: at most 16 bytes a feature for each thread and 40 bytes a label.
[[nodiscard]] LabelOrder clustered_order(const Context& context, const SparseMatrix& centroids,
                                         std::vector<std::uint32_t> lengths,
                                         const ClusterOptions& options = {});

/// Writes a line a label, by position: position, name, digits, with tabs between; tabs, line breaks
/// and backslashes in names as \t, \n, \r and \\. "-" is standard output. Throws kIo.
void write_order(const LabelOrder& order, const LabelNames& names, const std::string& path);

/// The order that such a file gives to the labels of `names`. With kSpread and the lengths that the
/// file was made for, by its digits, every label takes its position; otherwise labels take their
/// sequence only, in the slots of `placement`. Lines of other labels are left out. Throws kIo;
/// kInvalidData, naming the line, for a line that cannot be, a label or a position given twice and
/// digits that do not ascend with positions, and for labels without a line; kInvalidArgument unless
/// the lengths cover the labels.
[[nodiscard]] LabelOrder read_order(const std::string& path, const LabelNames& names,
                                    std::vector<std::uint32_t> lengths,
                                    Placement placement = Placement::kSpread);

}  // namespace mhe

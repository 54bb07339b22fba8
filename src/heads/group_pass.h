// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A batch against the children of parents chosen for each example. The children of a parent are
// consecutive rows, so all examples that chose it share one small matrix product, and the rows move
// while they are in cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <mhe/context.h>

#include "heads/level_work.h"
#include "heads/row_table.h"

namespace mhe::heads {

/// Sorts stably by key(item), which is below `num_keys`: counts where these are not many times as
/// many as the items, as groups of a batch are. Keeps its scratch space.
template <class Item>
class SortByKey {
 public:
  template <class Key>
  void operator()(std::vector<Item>& items, std::size_t num_keys, const Key& key) {
    constexpr std::size_t kKeysPerItem = 8;  // counting costs a pass over the keys
    if (num_keys > kKeysPerItem * items.size()) {
      std::stable_sort(items.begin(), items.end(),
                       [&](const Item& a, const Item& b) { return key(a) < key(b); });
      return;
    }
    begins_.assign(num_keys + 1, 0);
    for (const Item& item : items) ++begins_[key(item) + 1];
    for (std::size_t i = 0; i < num_keys; ++i) begins_[i + 1] += begins_[i];
    sorted_.resize(items.size());
    for (const Item& item : items) sorted_[begins_[key(item)]++] = item;
    std::swap(items, sorted_);
  }

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<Item> sorted_;
};

/// An example and a parent whose children it is scored against.
struct Pair {
  std::uint32_t parent = 0;
  std::uint32_t example = 0;
  float path = 0;   ///< log of the score of the parent's path
  float shift = 0;  ///< is added to the scores; kSoftmax only
};

/// Holds the scratch space of a step; one for each level. All results are the same for any number
/// of threads.
class GroupPass {
 public:
  /// Begins a step with pairs by example, each once, on a table of `num_rows` rows, of which each
  /// parent has `num_children`, the last maybe fewer; takes the pairs and leaves a vector to fill
  /// for the next.
  void select(std::vector<Pair>& pairs, std::size_t num_rows, std::size_t num_children,
              std::size_t batch);

  /// Which groups score() does.
  enum class Groups {
    kAll,
    /// All but those that backward() can score itself: an example alone with its parent waits for
    /// nothing else. Their rows then come from memory once, not twice.
    kShared
  };
  /// Scores of pairs, kept for backward().
  void score(const Context& context, const RowTable& table, const MatrixView& features,
             Groups which);

  /// By parent, then by example.
  [[nodiscard]] std::span<const Pair> pairs() const noexcept { return pairs_; }
  /// Numbers of the pairs of an example, parents ascending.
  [[nodiscard]] std::span<const std::uint32_t> pairs_of(std::size_t example) const noexcept;
  /// [child]; after score() of all.
  [[nodiscard]] std::span<const float> scores(std::size_t pair) const noexcept;
  /// The log of the sum of exponentials over all children that an example is scored against; after
  /// normalize(), of all.
  [[nodiscard]] float log_sum(std::size_t example) const noexcept { return log_sums_[example]; }
  /// Needed before backward() with kSoftmax; needs score().
  void normalize(const Context& context);

  /// Does the work and returns the loss. Every positive's parent is a pair of its example. Without
  /// score() before, scores are made on the way and not kept.
  double backward(const Context& context, RowTable& table, const LevelWork& work);

 private:
  struct Scratch {
    std::vector<float> features;  // of a group's examples, side by side
    std::vector<float> scores;
    std::vector<float> turned;
    std::vector<float> row_gradients;
    std::vector<float> bias_gradients;
    std::vector<float> feature_gradients;  // [pair], where examples share rows
    std::vector<float> maxima;
    std::vector<float> shifts;
    std::vector<float> sums;
  };
  // Pairs [begin, end) have the same parent.
  struct Group {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_late = false;  // scored in backward()
    [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  };
  // Some rows of a group's parent and their scores or gradients as [pair][stride].
  struct Chunk {
    std::size_t begin = 0;  // row of the table
    std::size_t size = 0;
    float* values = nullptr;
    std::size_t stride = 0;
    bool is_first = true;      // of its parent
    std::size_t num_next = 0;  // rows of the parent behind these
  };

  [[nodiscard]] std::size_t children_of(std::uint32_t parent) const noexcept;
  void mark_late_groups();
  void split_groups();
  const float* gather(const Group& group, const MatrixView& features, Scratch& scratch) const;
  static void score_chunk(const RowTable& table, const float* features, std::size_t num_pairs,
                          const Chunk& chunk, Scratch& scratch);
  void score_group(const RowTable& table, const Group& group, const float* features,
                   Scratch& scratch);
  void normalize_example(std::size_t example, Scratch& scratch);
  [[nodiscard]] double gradient_of_chunk(const LevelWork& work, const Group& group,
                                         const Chunk& chunk) const;
  static void sum_biases(std::size_t num_pairs, const Chunk& chunk, Scratch& scratch);
  static void update_chunk(RowTable& table, const RowMove& move, const float* features,
                           std::size_t num_pairs, const Chunk& chunk, Scratch& scratch);
  static void share_chunk(RowTable& table, const RowMove& move, const float* features,
                          std::size_t num_pairs, const Chunk& chunk, Scratch& scratch);
  static bool shares_rows(const Group& group, const LevelWork& work);
  double run_chunk(RowTable& table, const LevelWork& work, const Group& group,
                   const float* features, const Chunk& chunk, Scratch& scratch);
  double run_group(RowTable& table, const LevelWork& work, const Group& group, Scratch& scratch);
  void add_feature_gradients(const Context& context, const LevelWork& work);

  std::vector<Pair> pairs_;
  SortByKey<Pair> sort_pairs_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> late_;    // numbers of groups
  std::vector<std::uint32_t> shared_;  // the others
  std::vector<std::uint8_t> is_late_;  // [example]: one of its groups is
  std::vector<std::uint32_t> example_begins_;
  std::vector<std::uint32_t> example_pairs_;
  std::size_t num_rows_ = 0;
  std::size_t num_children_ = 0;
  bool has_scores_ = false;
  std::vector<float> scores_;          // [pair][num_children_]
  std::vector<float> log_sums_;        // [example]
  std::vector<float> pair_gradients_;  // [pair][dim]
  std::vector<float> ones_;            // as many as there were pairs at most
  std::vector<double> group_loss_;
  std::vector<Scratch> scratch_;  // [worker]
};

}  // namespace mhe::heads

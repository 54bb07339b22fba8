// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Trains the children of one node of a sparse cascade: linear classifiers over the examples that
// reach the node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <mhe/input.h>

#include "base/aligned.h"
#include "base/random.h"
#include "kernels/dual_sweep.h"

namespace mhe::heads {

/// How the convex problems are solved and what is kept of their solutions.
struct SolverOptions {
  float loss_weight = 1.0F;         ///< C: how much an error costs against large weights
  std::uint32_t sweeps = 10;        ///< passes over a node's examples
  std::uint32_t recheck_every = 5;  ///< sweeps between looks at inactive examples
  float tolerance = 0.05F;          ///< gradients this small are left as they are
  float prune = 0.05F;              ///< weights not larger in absolute value are dropped
  std::uint32_t refit_sweeps = 3;   ///< the last sweeps, which fit what pruning left
  bool keep_objectives = false;     ///< see NodeSolver::objectives(); a pass over the weights each

  /// The sweeps after pruning: none where nothing is pruned, at most half of few sweeps.
  [[nodiscard]] std::uint32_t refits() const noexcept {
    return prune > 0 ? std::min(refit_sweeps, sweeps / 2) : 0;
  }
};

/// An example at a node: it belongs to `child`, or to none it could be told from (a hard negative).
struct Visit {
  std::uint32_t row = 0;
  std::uint32_t child = 0;
};
inline constexpr std::uint32_t kNoChild = std::numeric_limits<std::uint32_t>::max();

/// Consecutive children of one node, at most 64, so that a set of them is one word.
struct ChildRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// The trained children, by feature: record r says that feature features[r] has a weight in each
/// child whose bit (counted from the range's begin) is set in masks[r], and values holds these
/// weights, record after record, in order of the bits.
struct NodeWeights {
  std::uint64_t present = 0;  ///< children that have examples; the others are never predicted
  std::vector<float> bias;    ///< one a child of the range
  std::vector<std::uint32_t> features;  ///< ascending
  std::vector<std::uint64_t> masks;
  std::vector<float> values;
};

/// The examples of a node. Where they are a good part of all rows, these are used as they are.
/// Elsewhere columns are copied and renumbered, so that weights are those of the features that
/// occur: 4 bytes a nonzero, values being the features' own.
struct NodeExamples {
  std::vector<kernels::SweepRow> rows;
  bool is_copy = false;                  ///< the vectors below are used
  std::vector<std::uint32_t> columns;    ///< of the rows; otherwise the features' own
  std::vector<std::uint32_t> global_of;  ///< column -> feature, the most frequent first
};

/// Solves nodes one after the other, keeping its memory: the examples, 64 bytes an example, 64 a
/// feature that occurs. One per thread.
class NodeSolver {
 public:
  NodeSolver(const SparseMatrix& features, const SolverOptions& options);

  /// `visits` ascend by row; a row may come several times with different children. `random` decides
  /// the order in which examples are visited.
  [[nodiscard]] NodeWeights solve(std::span<const Visit> visits, ChildRange children,
                                  RandomStream random);
  /// The same with what gather() made of the visits, which ranges of one node's children share.
  [[nodiscard]] NodeWeights solve(const NodeExamples& examples, std::span<const Visit> visits,
                                  ChildRange children, RandomStream random);
  void gather(std::span<const Visit> visits, NodeExamples& examples);

  /// Where options ask for it: the dual objective of the last solve() after each sweep, summed over
  /// the children. It rises from 0 to the smallest possible regularised loss; where small weights
  /// are dropped, at once to that of fewer features.
  [[nodiscard]] std::span<const double> objectives() const noexcept { return objectives_; }

 private:
  void list_rows(std::span<const Visit> visits, NodeExamples& examples) const;
  void copy_columns(NodeExamples& examples);
  void renumber_by_frequency(NodeExamples& examples);
  template <class Key>
  void sort_columns(std::size_t count, const Key& key);
  void rank_children(std::span<const Visit> visits, ChildRange children);
  void mark_positives(std::span<const Visit> visits, ChildRange children);
  void run_sweeps(const NodeExamples& examples, RandomStream random);
  void drop_small_weights();
  [[nodiscard]] double objective() const;
  [[nodiscard]] std::size_t num_columns(const NodeExamples& examples) const noexcept;
  void order_by_feature(const NodeExamples& examples);
  void collect(const NodeExamples& examples, NodeWeights& found) const;

  const SparseMatrix& features_;
  SolverOptions options_;
  std::vector<std::uint32_t> local_of_;  // global feature -> local column, kNoColumn if not here

  // The node at hand.
  NodeExamples examples_;
  std::vector<std::uint32_t> column_counts_;
  std::vector<std::uint32_t> sorted_columns_;
  std::vector<std::uint8_t> ranked_children_;  // of the range, that have examples
  std::vector<NodeWeights> batches_;           // found for one batch of them at a time
  NodeWeights merged_;  // grows here, so that results take no more than they hold

  // The batch at hand.
  std::span<const std::uint8_t> lane_children_;  // lane -> child of the range
  std::vector<std::uint16_t> positives_;
  std::vector<std::uint8_t> active_;
  std::vector<std::uint32_t> order_;
  AlignedFloats weights_;
  AlignedFloats bias_;
  AlignedFloats duals_;
  std::vector<double> objectives_;
};

}  // namespace mhe::heads

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mhe/context.h>
#include <mhe/ids.h>
#include <mhe/input.h>

#include "heads/sparse_cascade.h"

namespace mhe::heads {

/// How the solver came along, for those who want to see it.
struct CascadeTrace {
  /// [level][sweep]: NodeSolver::objectives() summed over the nodes that were solved; blocks that
  /// came from a BlockStore are not among them. Levels of several cascades follow each other.
  std::vector<std::vector<double>> objectives;
};

struct CascadeOptions {
  SolverOptions solver;
  /// An example also trains this many of the parents that it scores best.
  std::size_t candidates = 10;
  std::size_t beam = 10;  ///< nodes kept per level while candidates are searched
  /// Nodes solved at once, each with its own memory; 0: one per thread. Changes no result.
  std::size_t solvers = 0;
  CascadeTrace* trace = nullptr;  ///< filled where given; changes no result
};

/// Examples, and where their labels stand in the tree.
struct CascadeData {
  const SparseMatrix& features;
  const Ragged<LabelId>& labels;
  std::span<const std::uint64_t> positions;  ///< of each label, in [0, product of lengths)
};

/// Where trained blocks wait until all are there, so that an interrupted training can go on. Calls
/// come from many threads at once.
class BlockStore {
 public:
  virtual ~BlockStore() = default;
  /// What save() was given for this block, now or by an interrupted run; none if nothing was.
  [[nodiscard]] virtual std::optional<NodeWeights> load(std::size_t level, std::size_t block) = 0;
  virtual void save(std::size_t level, std::size_t block, const NodeWeights& weights) = 0;
};

/// Trains a cascade of the given lengths, level by level. The same for any number of threads.
[[nodiscard]] std::vector<SparseLevel> train_cascade(const Context& context,
                                                     const CascadeData& data,
                                                     std::span<const std::uint32_t> lengths,
                                                     const CascadeOptions& options,
                                                     BlockStore* store = nullptr);

}  // namespace mhe::heads

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What training a linear model will take, known before it is spent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mhe/context.h>

#include "train/linear_rules.h"
#include "train/training_set.h"

namespace mhe::train {

/// What an estimate may be short of, so that a budget is kept.
inline constexpr double kReserve = 1.1;

/// A level of a cascade before it is trained. Bytes, estimated from a few of its blocks.
struct CascadeLevelPlan {
  std::size_t nodes = 0;          ///< parents
  std::size_t blocks = 0;         ///< of at most 64 children
  std::uint64_t weights = 0;      ///< kept after pruning
  std::uint64_t model_bytes = 0;  ///< in memory and in the file
  std::uint64_t candidate_bytes = 0;
  std::uint64_t visit_bytes = 0;     ///< which examples train which node
  std::uint64_t shared_bytes = 0;    ///< examples of a node that its blocks share
  std::uint64_t solver_bytes = 0;    ///< of one solver at the largest block
  std::uint64_t solved_bytes = 0;    ///< weights as they wait for the level to be put together
  std::uint64_t building_bytes = 0;  ///< beside these, while it is
};

/// What a training will take.
struct LinearPlan {
  std::uint64_t rows = 0;
  std::uint64_t labels = 0;
  std::uint64_t features = 0;
  std::uint64_t nonzeros = 0;
  std::vector<std::uint32_t> lengths;  ///< of the first cascade
  std::size_t members = 1;
  std::vector<CascadeLevelPlan> levels;  ///< of the first cascade; the others are taken to be alike
  std::uint64_t feature_bytes = 0;       ///< the examples' vectors in memory
  std::uint64_t neighbour_bytes =
      0;  ///< of the index of nearest neighbours, if one is tried; at most
  std::uint64_t resident_bytes = 0;   ///< what the process holds with the data read
  std::uint64_t preparing_bytes = 0;  ///< peak of reading and of ordering the labels, measured
  std::size_t solvers = 1;            ///< nodes solved at once
  std::uint64_t train_bytes = 0;      ///< peak of the process
  std::uint64_t model_bytes = 0;  ///< of the file; without nearest neighbours unless these are sure
  bool neighbours_are_sure = false;  ///< asked for, not only tried
};

/// Plans a training on `set`: orders the labels, solves a few blocks of each level, and counts.
/// `ram_bytes` bounds the peak of the process, 0: nothing does; fewer nodes are then solved at once
/// if that helps. Throws kResourceLimit, saying what is needed, if nothing does.
[[nodiscard]] LinearPlan plan_linear(const Context& context, const TrainingSet& set,
                                     const TrainOptions& options, std::uint64_t ram_bytes);

/// Throws kResourceLimit if `needed` is more than a budget of `ram_bytes`; 0 is no budget. `what`
/// begins the message, such as "train.txt: reading the first 10 rows".
void check_budget(std::uint64_t needed, std::uint64_t ram_bytes, const std::string& what);

}  // namespace mhe::train

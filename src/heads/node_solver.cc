// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/node_solver.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "kernels/dual_sweep.h"

namespace mhe::heads {
namespace {

constexpr std::uint32_t kNoColumn = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kMaxChildren = kernels::kMaxGroups * kernels::kGroupLanes;

}  // namespace

NodeSolver::NodeSolver(const SparseMatrix& features, const SolverOptions& options)
    : features_(features), options_(options), local_of_(features.num_columns, kNoColumn) {}

NodeWeights NodeSolver::solve(std::span<const Visit> visits, ChildRange children,
                              RandomStream random) {
  MHE_ASSERT(children.begin < children.end && children.end - children.begin <= kMaxChildren);
  gather(visits, children);
  if (!lane_children_.empty()) run_sweeps(random);
  NodeWeights result = collect(children);
  for (const std::uint32_t feature : global_of_) local_of_[feature] = kNoColumn;
  return result;
}

// Gives a lane to each child that has examples, the most frequent first: children that few examples
// concern then share their groups of lanes, and these rest for most examples.
void NodeSolver::assign_lanes(std::span<const Visit> visits, ChildRange children) {
  std::size_t counts[kMaxChildren] = {};
  for (const Visit& visit : visits) {
    if (visit.child >= children.begin && visit.child < children.end) {
      ++counts[visit.child - children.begin];
    }
  }
  lane_children_.clear();
  for (std::size_t child = 0; child < kMaxChildren; ++child) {
    if (counts[child] > 0) lane_children_.push_back(static_cast<std::uint8_t>(child));
  }
  std::stable_sort(lane_children_.begin(), lane_children_.end(),
                   [&](std::uint8_t a, std::uint8_t b) { return counts[a] > counts[b]; });
}

// Copies the node's examples into a matrix of their own, whose columns are the features that occur.
void NodeSolver::gather(std::span<const Visit> visits, ChildRange children) {
  assign_lanes(visits, children);
  std::uint8_t lane_of[kMaxChildren] = {};
  for (std::size_t lane = 0; lane < lane_children_.size(); ++lane) {
    lane_of[lane_children_[lane]] = static_cast<std::uint8_t>(lane);
  }
  global_of_.clear();
  column_counts_.clear();
  offsets_.assign(1, 0);
  columns_.clear();
  values_.clear();
  inverse_curvature_.clear();
  positives_.clear();
  if (lane_children_.empty()) return;

  const float diagonal = 0.5F / options_.loss_weight;
  std::uint32_t last_row = kNoChild;
  for (const Visit& visit : visits) {
    if (visit.row != last_row) {
      last_row = visit.row;
      const SparseRow row = features_[visit.row];
      float squares = 1.0F;  // of the bias
      for (std::size_t i = 0; i < row.size(); ++i) {
        std::uint32_t& local = local_of_[row.columns[i]];
        if (local == kNoColumn) {
          local = static_cast<std::uint32_t>(global_of_.size());
          global_of_.push_back(row.columns[i]);
          column_counts_.push_back(0);
        }
        ++column_counts_[local];
        columns_.push_back(local);
        squares += row.values[i] * row.values[i];
      }
      values_.insert(values_.end(), row.values.begin(), row.values.end());
      offsets_.push_back(columns_.size());
      inverse_curvature_.push_back(1.0F / (squares + diagonal));
      positives_.push_back(0);
    }
    if (visit.child >= children.begin && visit.child < children.end) {
      positives_.back() |= std::uint64_t{1} << lane_of[visit.child - children.begin];
    }
  }
  renumber_by_frequency();
  columns_.resize(columns_.size() + kernels::kColumnsAhead, 0);
}

// The weights of frequent features, most of what a sweep touches, come to lie together in cache.
void NodeSolver::renumber_by_frequency() {
  std::vector<std::uint32_t> by_count(global_of_.size());
  std::iota(by_count.begin(), by_count.end(), 0U);
  std::stable_sort(by_count.begin(), by_count.end(), [this](std::uint32_t a, std::uint32_t b) {
    return column_counts_[a] > column_counts_[b];
  });
  std::vector<std::uint32_t> renumbered(global_of_.size());
  std::vector<std::uint32_t> new_global(global_of_.size());
  for (std::size_t i = 0; i < by_count.size(); ++i) {
    renumbered[by_count[i]] = static_cast<std::uint32_t>(i);
    new_global[i] = global_of_[by_count[i]];
  }
  global_of_ = std::move(new_global);
  for (std::uint32_t& column : columns_) column = renumbered[column];
}

void NodeSolver::run_sweeps(RandomStream& random) {
  const std::size_t rows = positives_.size();
  const std::size_t num_groups =
      (lane_children_.size() + kernels::kGroupLanes - 1) / kernels::kGroupLanes;
  const std::size_t lanes = num_groups * kernels::kGroupLanes;
  weights_.assign_zero(global_of_.size() * lanes);
  bias_.assign_zero(lanes);
  duals_.assign_zero(rows * lanes);
  active_.assign(rows, 0);
  order_.resize(rows);
  std::iota(order_.begin(), order_.end(), 0U);

  kernels::SweepProblem problem;
  problem.offsets = offsets_.data();
  problem.columns = columns_.data();
  problem.values = values_.data();
  problem.inverse_curvature = inverse_curvature_.data();
  problem.positives = positives_.data();
  problem.num_groups = num_groups;
  problem.used_lanes = ~std::uint64_t{0} >> (64 - lane_children_.size());
  problem.diagonal = 0.5F / options_.loss_weight;
  problem.tolerance = options_.tolerance;
  problem.weights = weights_.data();
  problem.bias = bias_.data();
  problem.duals = duals_.data();
  problem.active = active_.data();
  for (std::uint32_t sweep = 0; sweep < options_.sweeps; ++sweep) {
    random.shuffle(std::span<std::uint32_t>(order_));
    const bool all = sweep % options_.recheck_every == 0;
    kernels::dual_sweep(problem, order_,
                        all ? kernels::SweepScope::kAll : kernels::SweepScope::kActive);
  }
}

NodeWeights NodeSolver::collect(ChildRange children) const {
  NodeWeights result;
  result.bias.assign(children.end - children.begin, 0.0F);
  struct Lane {
    std::uint8_t child = 0;
    std::uint8_t lane = 0;
  };
  std::vector<Lane> by_child;
  for (std::size_t lane = 0; lane < lane_children_.size(); ++lane) {
    result.present |= std::uint64_t{1} << lane_children_[lane];
    result.bias[lane_children_[lane]] = bias_.data()[lane];
    by_child.push_back({lane_children_[lane], static_cast<std::uint8_t>(lane)});
  }
  if (lane_children_.empty()) return result;
  std::sort(by_child.begin(), by_child.end(),
            [](const Lane& a, const Lane& b) { return a.child < b.child; });
  const std::size_t lanes = bias_.size();
  std::vector<std::uint32_t> by_feature(global_of_.size());
  std::iota(by_feature.begin(), by_feature.end(), 0U);
  std::sort(by_feature.begin(), by_feature.end(),
            [this](std::uint32_t a, std::uint32_t b) { return global_of_[a] < global_of_[b]; });
  for (const std::uint32_t column : by_feature) {
    const float* weights = weights_.data() + column * lanes;
    std::uint64_t mask = 0;
    for (const Lane& lane : by_child) {
      if (std::fabs(weights[lane.lane]) > options_.prune) {
        mask |= std::uint64_t{1} << lane.child;
        result.values.push_back(weights[lane.lane]);
      }
    }
    if (mask == 0) continue;
    result.features.push_back(global_of_[column]);
    result.masks.push_back(mask);
  }
  return result;
}

}  // namespace mhe::heads

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
  const bool any = std::any_of(visits.begin(), visits.end(), [&](const Visit& visit) {
    return visit.child >= children.begin && visit.child < children.end;
  });
  gather(any ? visits : visits.first(0), examples_);
  return solve(examples_, visits, children, random);
}

NodeWeights NodeSolver::solve(const NodeExamples& examples, std::span<const Visit> visits,
                              ChildRange children, RandomStream random) {
  MHE_ASSERT(children.begin < children.end && children.end - children.begin <= kMaxChildren);
  objectives_.clear();
  assign_lanes(visits, children);
  if (!lane_children_.empty()) {
    mark_positives(visits, children);
    run_sweeps(examples, random);
  }
  return collect(examples, children);
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

// One bit a lane for each example.
void NodeSolver::mark_positives(std::span<const Visit> visits, ChildRange children) {
  std::uint8_t lane_of[kMaxChildren] = {};
  for (std::size_t lane = 0; lane < lane_children_.size(); ++lane) {
    lane_of[lane_children_[lane]] = static_cast<std::uint8_t>(lane);
  }
  positives_.clear();
  std::uint32_t last_row = kNoChild;
  for (const Visit& visit : visits) {
    if (visit.row != last_row) positives_.push_back(0);
    last_row = visit.row;
    if (visit.child >= children.begin && visit.child < children.end) {
      positives_.back() |= std::uint64_t{1} << lane_of[visit.child - children.begin];
    }
  }
}

void NodeSolver::gather(std::span<const Visit> visits, NodeExamples& examples) {
  examples.global_of.clear();
  column_counts_.clear();
  copy_rows(visits, examples);
  renumber_by_frequency(examples);
  examples.columns.resize(examples.columns.size() + kernels::kColumnsAhead, 0);
  for (const std::uint32_t feature : examples.global_of) local_of_[feature] = kNoColumn;
}

void NodeSolver::copy_rows(std::span<const Visit> visits, NodeExamples& examples) {
  std::size_t rows = 0;
  std::size_t nonzeros = 0;
  std::uint32_t last_row = kNoChild;
  for (const Visit& visit : visits) {
    if (visit.row == last_row) continue;
    last_row = visit.row;
    ++rows;
    nonzeros += features_[visit.row].size();
  }
  examples.columns.clear();
  examples.columns.reserve(nonzeros + kernels::kColumnsAhead);
  examples.inverse_curvature.clear();
  examples.inverse_curvature.reserve(rows);
  examples.offsets.assign(1, 0);
  examples.offsets.reserve(rows + 1);
  examples.value_begins.clear();
  examples.value_begins.reserve(rows);

  const float diagonal = 0.5F / options_.loss_weight;
  last_row = kNoChild;
  for (const Visit& visit : visits) {
    if (visit.row == last_row) continue;
    last_row = visit.row;
    const SparseRow row = features_[visit.row];
    float squares = 1.0F;  // of the bias
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::uint32_t& local = local_of_[row.columns[i]];
      if (local == kNoColumn) {
        local = static_cast<std::uint32_t>(examples.global_of.size());
        examples.global_of.push_back(row.columns[i]);
        column_counts_.push_back(0);
      }
      ++column_counts_[local];
      examples.columns.push_back(local);
      squares += row.values[i] * row.values[i];
    }
    examples.inverse_curvature.push_back(1.0F / (squares + diagonal));
    examples.value_begins.push_back(features_.offsets[visit.row]);
    examples.offsets.push_back(examples.columns.size());
  }
}

// The weights of frequent features, most of what a sweep touches, come to lie together in cache.
void NodeSolver::renumber_by_frequency(NodeExamples& examples) const {
  std::vector<std::uint32_t> by_count(examples.global_of.size());
  std::iota(by_count.begin(), by_count.end(), 0U);
  std::stable_sort(by_count.begin(), by_count.end(), [this](std::uint32_t a, std::uint32_t b) {
    return column_counts_[a] > column_counts_[b];
  });
  std::vector<std::uint32_t> renumbered(examples.global_of.size());
  std::vector<std::uint32_t> new_global(examples.global_of.size());
  for (std::size_t i = 0; i < by_count.size(); ++i) {
    renumbered[by_count[i]] = static_cast<std::uint32_t>(i);
    new_global[i] = examples.global_of[by_count[i]];
  }
  examples.global_of = std::move(new_global);
  for (std::uint32_t& column : examples.columns) column = renumbered[column];
}

void NodeSolver::run_sweeps(const NodeExamples& examples, RandomStream& random) {
  const std::size_t rows = positives_.size();
  const std::size_t num_groups =
      (lane_children_.size() + kernels::kGroupLanes - 1) / kernels::kGroupLanes;
  const std::size_t lanes = num_groups * kernels::kGroupLanes;
  weights_.assign_zero(examples.global_of.size() * lanes);
  bias_.assign_zero(lanes);
  duals_.assign_zero(rows * lanes);
  active_.assign(rows, 0);
  order_.resize(rows);
  std::iota(order_.begin(), order_.end(), 0U);

  kernels::SweepProblem problem;
  problem.offsets = examples.offsets.data();
  problem.columns = examples.columns.data();
  problem.value_begins = examples.value_begins.data();
  problem.values = features_.values.data();
  problem.inverse_curvature = examples.inverse_curvature.data();
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
    if (options_.keep_objectives) objectives_.push_back(objective());
  }
}

// sum_i a_i - |w|^2 / 2 - sum_i a_i^2 / (4 C), the bias being a weight. Padding lanes are all 0.
double NodeSolver::objective() const {
  const auto squares = [](const AlignedFloats& numbers) {
    double sum = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      sum += double{numbers.data()[i]} * numbers.data()[i];
    }
    return sum;
  };
  const double linear = std::accumulate(duals_.data(), duals_.data() + duals_.size(), 0.0);
  return linear - (squares(weights_) + squares(bias_)) / 2 -
         squares(duals_) / (4.0 * options_.loss_weight);
}

NodeWeights NodeSolver::collect(const NodeExamples& examples, ChildRange children) {
  NodeWeights& result = collected_;
  result.present = 0;
  result.features.clear();
  result.masks.clear();
  result.values.clear();
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
  std::vector<std::uint32_t> by_feature(examples.global_of.size());
  std::iota(by_feature.begin(), by_feature.end(), 0U);
  const std::vector<std::uint32_t>& global_of = examples.global_of;
  std::sort(by_feature.begin(), by_feature.end(),
            [&](std::uint32_t a, std::uint32_t b) { return global_of[a] < global_of[b]; });
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
    result.features.push_back(examples.global_of[column]);
    result.masks.push_back(mask);
  }
  return result;
}

}  // namespace mhe::heads

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/node_solver.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "base/checked.h"

namespace mhe::heads {
namespace {

constexpr std::uint32_t kNoColumn = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kMaxChildren = 64;
constexpr std::size_t kMaxBatches = kMaxChildren / kernels::kMaxLanes;

// Four sums that do not wait for each other.
float squared_length(std::span<const float> values) {
  float sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += values[i + k] * values[i + k];
  }
  for (; i < values.size(); ++i) sums[0] += values[i] * values[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Whether any lane's weight is larger than the bound, which is most often not so. Of floats that
// are not negative the larger one has the larger bits, and compilers compare integers side by side.
bool any_larger(const float* weights, std::size_t lanes, float bound) {
  const auto bound_bits = std::bit_cast<std::int32_t>(bound);
  std::int32_t found = 0;
  for (std::size_t first = 0; first < lanes; first += kernels::kGroupLanes) {
    for (std::size_t lane = first; lane < first + kernels::kGroupLanes; ++lane) {
      found |= (std::bit_cast<std::int32_t>(weights[lane]) & 0x7FFFFFFF) > bound_bits ? 1 : 0;
    }
  }
  return found != 0;
}

void clear_records(NodeWeights& weights) {
  weights.features.clear();
  weights.masks.clear();
  weights.values.clear();
}

// Puts the records of batches of children together, feature by feature.
void merge_records(std::span<const NodeWeights> batches, NodeWeights& all) {
  constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();
  clear_records(all);
  std::size_t next_record[kMaxBatches] = {};
  std::size_t next_value[kMaxBatches] = {};
  const auto next_feature = [&](std::size_t b) {
    const std::vector<std::uint32_t>& features = batches[b].features;
    return next_record[b] < features.size() ? features[next_record[b]] : kEnd;
  };
  while (true) {
    std::uint32_t feature = kEnd;
    for (std::size_t b = 0; b < batches.size(); ++b) feature = std::min(feature, next_feature(b));
    if (feature == kEnd) return;
    std::uint64_t masks[kMaxBatches] = {};
    std::uint64_t mask = 0;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      if (next_feature(b) == feature) mask |= masks[b] = batches[b].masks[next_record[b]++];
    }
    for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) {
      const std::uint64_t child = rest & (~rest + 1);
      std::size_t b = 0;
      while ((masks[b] & child) == 0) ++b;
      all.values.push_back(batches[b].values[next_value[b]++]);
    }
    all.features.push_back(feature);
    all.masks.push_back(mask);
  }
}

}  // namespace

NodeSolver::NodeSolver(const SparseMatrix& features, const SolverOptions& options)
    : features_(features),
      options_(options),
      local_of_(features.num_columns, kNoColumn),
      batches_(kMaxBatches) {}

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
  rank_children(visits, children);
  order_by_feature(examples);
  NodeWeights& result = merged_;
  result.present = 0;
  result.bias.assign(children.end - children.begin, 0.0F);
  const std::span<const std::uint8_t> ranked(ranked_children_);
  std::size_t num_batches = 0;
  for (std::size_t first = 0; first < ranked.size(); first += kernels::kMaxLanes) {
    lane_children_ = ranked.subspan(first, std::min(kernels::kMaxLanes, ranked.size() - first));
    mark_positives(visits, children);
    run_sweeps(examples, random);
    collect(examples, batches_[num_batches++]);
    for (std::size_t lane = 0; lane < lane_children_.size(); ++lane) {
      result.bias[lane_children_[lane]] = bias_.data()[lane];
      result.present |= std::uint64_t{1} << lane_children_[lane];
    }
  }
  merge_records(std::span(batches_).first(num_batches), result);
  return result;
}

// Children that have examples, the most frequent first: those that few examples concern then share
// their groups of lanes, and these rest for most examples.
void NodeSolver::rank_children(std::span<const Visit> visits, ChildRange children) {
  std::size_t counts[kMaxChildren] = {};
  for (const Visit& visit : visits) {
    if (visit.child >= children.begin && visit.child < children.end) {
      ++counts[visit.child - children.begin];
    }
  }
  ranked_children_.clear();
  for (std::size_t child = 0; child < kMaxChildren; ++child) {
    if (counts[child] > 0) ranked_children_.push_back(static_cast<std::uint8_t>(child));
  }
  std::stable_sort(ranked_children_.begin(), ranked_children_.end(),
                   [&](std::uint8_t a, std::uint8_t b) { return counts[a] > counts[b]; });
}

// One bit a lane for each example.
void NodeSolver::mark_positives(std::span<const Visit> visits, ChildRange children) {
  std::uint16_t bits[kMaxChildren] = {};
  for (std::size_t lane = 0; lane < lane_children_.size(); ++lane) {
    bits[lane_children_[lane]] = static_cast<std::uint16_t>(1U << lane);
  }
  positives_.clear();
  std::uint32_t last_row = kNoChild;
  for (const Visit& visit : visits) {
    if (visit.row != last_row) positives_.push_back(0);
    last_row = visit.row;
    if (visit.child >= children.begin && visit.child < children.end) {
      positives_.back() |= bits[visit.child - children.begin];
    }
  }
}

void NodeSolver::gather(std::span<const Visit> visits, NodeExamples& examples) {
  list_rows(visits, examples);
  // Of half the rows, nearly all features occur: there is little to leave out.
  examples.is_copy = 2 * examples.rows.size() < features_.rows();
  if (examples.is_copy) copy_columns(examples);
}

void NodeSolver::list_rows(std::span<const Visit> visits, NodeExamples& examples) const {
  examples.rows.clear();
  const float diagonal = 0.5F / options_.loss_weight;
  std::uint32_t last_row = kNoChild;
  for (const Visit& visit : visits) {
    if (visit.row == last_row) continue;
    last_row = visit.row;
    const SparseRow row = features_[visit.row];
    const float squares = 1.0F + squared_length(row.values);  // of the bias too
    const std::uint64_t begin = features_.offsets[visit.row];
    examples.rows.push_back({.column_begin = begin,
                             .value_begin = begin,
                             .size = checked_cast<std::uint32_t>(row.size(), "features of a row"),
                             .inverse_curvature = 1.0F / (squares + diagonal)});
  }
}

void NodeSolver::copy_columns(NodeExamples& examples) {
  std::size_t nonzeros = 0;
  for (kernels::SweepRow& row : examples.rows) {
    row.column_begin = nonzeros;
    nonzeros += row.size;
  }
  examples.columns.resize(nonzeros);
  examples.global_of.clear();
  column_counts_.clear();
  for (const kernels::SweepRow& row : examples.rows) {
    const std::uint32_t* features = features_.columns.data() + row.value_begin;
    std::uint32_t* columns = examples.columns.data() + row.column_begin;
    for (std::size_t i = 0; i < row.size; ++i) {
      std::uint32_t& local = local_of_[features[i]];
      if (local == kNoColumn) {
        local = static_cast<std::uint32_t>(examples.global_of.size());
        examples.global_of.push_back(features[i]);
        column_counts_.push_back(0);
      }
      ++column_counts_[local];
      columns[i] = local;
    }
  }
  for (const std::uint32_t feature : examples.global_of) local_of_[feature] = kNoColumn;
  renumber_by_frequency(examples);
}

// Columns by ascending key; equal keys by number. Key and column are sorted as one number, which is
// quicker than looking keys up.
template <class Key>
void NodeSolver::sort_columns(std::size_t count, const Key& key) {
  std::vector<std::uint64_t> keyed(count);
  for (std::size_t i = 0; i < count; ++i) keyed[i] = std::uint64_t{key(i)} << 32U | i;
  std::sort(keyed.begin(), keyed.end());
  sorted_columns_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    sorted_columns_[i] = static_cast<std::uint32_t>(keyed[i]);
  }
}

// The weights of frequent features, most of what a sweep touches, come to lie together: they are on
// few pages.
void NodeSolver::renumber_by_frequency(NodeExamples& examples) {
  const std::size_t count = examples.global_of.size();
  sort_columns(count, [this](std::size_t i) { return ~column_counts_[i]; });
  std::vector<std::uint32_t> renumbered(count);
  std::vector<std::uint32_t> new_global(count);
  for (std::size_t i = 0; i < count; ++i) {
    renumbered[sorted_columns_[i]] = static_cast<std::uint32_t>(i);
    new_global[i] = examples.global_of[sorted_columns_[i]];
  }
  examples.global_of = std::move(new_global);
  for (std::uint32_t& column : examples.columns) column = renumbered[column];
}

void NodeSolver::run_sweeps(const NodeExamples& examples, RandomStream random) {
  const std::size_t rows = examples.rows.size();
  const std::size_t num_groups =
      (lane_children_.size() + kernels::kGroupLanes - 1) / kernels::kGroupLanes;
  const std::size_t lanes = num_groups * kernels::kGroupLanes;
  weights_.assign_zero(num_columns(examples) * lanes);
  bias_.assign_zero(lanes);
  duals_.assign_zero(rows * lanes);
  active_.assign(rows, 0);
  order_.resize(rows);
  std::iota(order_.begin(), order_.end(), 0U);

  kernels::SweepProblem problem;
  problem.rows = examples.rows.data();
  problem.columns = (examples.is_copy ? examples.columns : features_.columns).data();
  problem.values = features_.values.data();
  problem.positives = positives_.data();
  problem.num_groups = num_groups;
  problem.used_lanes = (1U << lane_children_.size()) - 1;
  problem.diagonal = 0.5F / options_.loss_weight;
  problem.tolerance = options_.tolerance;
  problem.weights = weights_.data();
  problem.bias = bias_.data();
  problem.duals = duals_.data();
  problem.active = active_.data();
  if (options_.keep_objectives) objectives_.resize(options_.sweeps, 0.0);
  const std::uint32_t first_refit = options_.sweeps - options_.refits();
  for (std::uint32_t sweep = 0; sweep < options_.sweeps; ++sweep) {
    if (sweep == first_refit) {
      drop_small_weights();
      problem.keep_zeros = true;
    }
    random.shuffle(std::span<std::uint32_t>(order_));
    const bool all = sweep == first_refit || sweep % options_.recheck_every == 0;
    kernels::dual_sweep(problem, order_,
                        all ? kernels::SweepScope::kAll : kernels::SweepScope::kActive);
    if (options_.keep_objectives) objectives_[sweep] += objective();
  }
}

// Duals stay as they are: the weights that are left are still the sums that these make, so sweeps
// go on with the problem of the features that each child keeps.
void NodeSolver::drop_small_weights() {
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    float& weight = weights_.data()[i];
    if (std::fabs(weight) <= options_.prune) weight = 0;
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

std::size_t NodeSolver::num_columns(const NodeExamples& examples) const noexcept {
  return examples.is_copy ? examples.global_of.size() : features_.num_columns;
}

void NodeSolver::order_by_feature(const NodeExamples& examples) {
  if (examples.is_copy) {
    const std::vector<std::uint32_t>& global_of = examples.global_of;
    sort_columns(global_of.size(), [&](std::size_t i) { return global_of[i]; });
  } else {
    sorted_columns_.resize(features_.num_columns);
    std::iota(sorted_columns_.begin(), sorted_columns_.end(), 0U);
  }
}

// The weights of the batch that are large enough, without presence and bias.
void NodeSolver::collect(const NodeExamples& examples, NodeWeights& found) const {
  clear_records(found);
  std::vector<std::size_t> by_child(lane_children_.size());
  std::iota(by_child.begin(), by_child.end(), std::size_t{0});
  std::sort(by_child.begin(), by_child.end(),
            [this](std::size_t a, std::size_t b) { return lane_children_[a] < lane_children_[b]; });
  const std::size_t lanes = bias_.size();
  // What refits made of a weight that was kept is kept, however small.
  const float bound = options_.refits() > 0 ? 0.0F : options_.prune;
  for (const std::uint32_t column : sorted_columns_) {
    const float* weights = weights_.data() + column * lanes;
    if (!any_larger(weights, lanes, bound)) continue;
    std::uint64_t mask = 0;
    for (const std::size_t lane : by_child) {
      if (std::fabs(weights[lane]) > bound) {
        mask |= std::uint64_t{1} << lane_children_[lane];
        found.values.push_back(weights[lane]);
      }
    }
    found.features.push_back(examples.is_copy ? examples.global_of[column] : column);
    found.masks.push_back(mask);
  }
}

}  // namespace mhe::heads

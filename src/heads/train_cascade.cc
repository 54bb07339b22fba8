// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/train_cascade.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/parallel.h"

namespace mhe::heads {
namespace {

// Where a level stands in the tree.
struct Level {
  std::size_t index = 0;
  LevelShape shape;
  std::uint64_t stride = 1;  // positions under one child
};

// The parents, not among its true ones, that the levels above rank among an example's best.
Ragged<std::uint32_t> find_candidates(const Context& context, const CascadeData& data,
                                      std::span<const SparseLevelView> above, const Level& level,
                                      const CascadeOptions& options) {
  const std::size_t rows = data.features.rows();
  constexpr std::size_t kGrain = 256;  // rows a block: long enough to hide the scheduling
  std::vector<Ragged<std::uint32_t>> found((rows + kGrain - 1) / kGrain);
  std::vector<BeamScratch> scratch(context.threads());
  const std::uint64_t parent_stride = level.stride * level.shape.children_per_parent;
  parallel_blocks(context, rows, kGrain, [&](const Block& block) {
    BeamScratch& mine = scratch[block.worker];
    for (std::size_t row = block.begin; row < block.end; ++row) {
      search_beam(above, data.features[row], options.candidates, {.beam = options.beam}, mine);
      for (const ScoredNode& node : mine.beam) {
        const auto labels = data.labels[row];
        const bool is_true = std::any_of(labels.begin(), labels.end(), [&](LabelId label) {
          return data.positions[index_of(label)] / parent_stride == node.node;
        });
        if (!is_true) found[block.index].items.push_back(static_cast<std::uint32_t>(node.node));
      }
      found[block.index].end_row();
    }
  });
  Ragged<std::uint32_t> all;
  for (auto& part : found) {
    all.append(part);
    part = {};
  }
  return all;
}

// The examples of every parent, by ascending row.
Ragged<Visit> collect_visits(const CascadeData& data, const Level& level,
                             const Ragged<std::uint32_t>& candidates) {
  const std::size_t num_parents = level.shape.num_parents;
  const auto for_each_visit = [&](auto&& visit) {
    for (std::size_t row = 0; row < data.features.rows(); ++row) {
      for (const LabelId label : data.labels[row]) {
        const std::uint64_t node = data.positions[index_of(label)] / level.stride;
        visit(node / level.shape.children_per_parent, row,
              static_cast<std::uint32_t>(node % level.shape.children_per_parent));
      }
      if (candidates.rows() == 0) continue;
      for (const std::uint32_t parent : candidates[row]) visit(parent, row, kNoChild);
    }
  };
  Ragged<Visit> visits;
  visits.offsets.assign(num_parents + 1, 0);
  for_each_visit(
      [&](std::uint64_t parent, std::size_t, std::uint32_t) { ++visits.offsets[parent + 1]; });
  std::partial_sum(visits.offsets.begin(), visits.offsets.end(), visits.offsets.begin());
  visits.items.resize(visits.offsets.back());
  std::vector<std::uint64_t> next(visits.offsets.begin(), visits.offsets.end() - 1);
  for_each_visit([&](std::uint64_t parent, std::size_t row, std::uint32_t child) {
    visits.items[next[parent]++] = {static_cast<std::uint32_t>(row), child};
  });
  return visits;
}

// The examples of a parent for as long as one of its blocks needs them.
struct SharedExamples {
  std::once_flag gathered;
  std::atomic<std::size_t> blocks_done = 0;
  NodeExamples examples;
};

// Solves the blocks of a level, several at once.
class LevelSolver {
 public:
  LevelSolver(const CascadeData& data, const Level& level, const Ragged<Visit>& visits,
              const SolverOptions& options, std::size_t workers)
      : data_(data),
        level_(level),
        visits_(visits),
        options_(options),
        workers_(workers),
        shared_(level.shape.blocks_per_parent > 1 ? level.shape.num_parents : 0) {}

  // Of the last block that the worker solved.
  [[nodiscard]] std::span<const double> objectives(std::size_t worker) const noexcept {
    return workers_[worker].solver->objectives();
  }

  NodeWeights solve(std::size_t block, std::size_t worker, RandomStream random) {
    const std::size_t parent = block / level_.shape.blocks_per_parent;
    NodeSolver& solver = solver_for(visits_[parent].size(), worker);
    const ChildRange children = level_.shape.children_of_block(block);
    if (shared_.empty()) return solver.solve(visits_[parent], children, random);
    SharedExamples& shared = shared_[parent];
    std::call_once(shared.gathered, [&] { solver.gather(visits_[parent], shared.examples); });
    NodeWeights weights = solver.solve(shared.examples, visits_[parent], children, random);
    if (++shared.blocks_done == level_.shape.blocks_per_parent) shared.examples = {};
    return weights;
  }

 private:
  struct Worker {
    std::unique_ptr<NodeSolver> solver;
    std::size_t visits = 0;  // of the first node that it solved
  };

  // Nodes come by size, and a solver keeps the memory that its largest one took: where they have
  // become much smaller, a new one takes its place, while what was found takes more and more.
  NodeSolver& solver_for(std::size_t visits, std::size_t index) {
    Worker& worker = workers_[index];
    if (!worker.solver || visits < worker.visits / 4) {
      worker.solver.reset();  // first: no two at a time
      worker.solver = std::make_unique<NodeSolver>(data_.features, options_);
      worker.visits = visits;
    }
    return *worker.solver;
  }

  const CascadeData& data_;
  const Level& level_;
  const Ragged<Visit>& visits_;
  const SolverOptions& options_;
  std::vector<Worker> workers_;
  std::vector<SharedExamples> shared_;  // by parent, where it has several blocks
};

// In order of the blocks, so that the sum does not depend on threads.
std::vector<double> sum_by_sweep(std::span<const std::vector<double>> blocks) {
  std::vector<double> sums;
  for (const std::vector<double>& block : blocks) {
    sums.resize(std::max(sums.size(), block.size()), 0);
    for (std::size_t sweep = 0; sweep < block.size(); ++sweep) sums[sweep] += block[sweep];
  }
  return sums;
}

// Consumes the visits: the level is put together without them.
SparseLevel train_level(const Context& context, const CascadeData& data, const Level& level,
                        Ragged<Visit> visits, const CascadeOptions& options, BlockStore* store) {
  const LevelShape& shape = level.shape;
  const std::string stage = fmt::format("training level {}", level.index + 1);
  std::atomic<std::size_t> blocks_done = 0;
  std::vector<NodeWeights> blocks(shape.num_blocks());
  // The largest first, so that no thread is left alone with a large one at the end.
  std::vector<std::size_t> by_size(blocks.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
    return visits[a / shape.blocks_per_parent].size() > visits[b / shape.blocks_per_parent].size();
  });
  std::optional<Context> few;
  if (options.solvers > 0 && options.solvers < context.threads()) {
    few.emplace(ContextOptions{.threads = options.solvers, .seed = context.seed()});
  }
  const Context& workers = few ? *few : context;
  SolverOptions solver_options = options.solver;
  solver_options.keep_objectives = options.trace != nullptr;
  std::vector<std::vector<double>> objectives(options.trace != nullptr ? blocks.size() : 0);
  std::optional<LevelSolver> solver(std::in_place, data, level, visits, solver_options,
                                    workers.threads());
  parallel_blocks(workers, blocks.size(), 1, [&](const Block& task) {
    const std::size_t block = by_size[task.begin];
    const std::size_t done = blocks_done++;
    // The first worker is the thread that owns the work, which alone may tell.
    if (task.worker == 0) context.report({stage, done, blocks.size(), "nodes"});
    if (store != nullptr) {
      if (auto stored = store->load(level.index, block)) {
        blocks[block] = std::move(*stored);
        return;
      }
    }
    blocks[block] =
        solver->solve(block, task.worker,
                      RandomStream(context.seed(), "train_cascade", (level.index << 40U) + block));
    if (!objectives.empty()) {
      const std::span<const double> found = solver->objectives(task.worker);
      objectives[block].assign(found.begin(), found.end());
    }
    if (store != nullptr) store->save(level.index, block, blocks[block]);
  });
  solver.reset();
  if (options.trace != nullptr) options.trace->objectives.push_back(sum_by_sweep(objectives));
  visits = {};
  release_free_memory();
  return build_level(shape, data.features.num_columns, std::move(blocks));
}

}  // namespace

std::vector<SparseLevel> train_cascade(const Context& context, const CascadeData& data,
                                       std::span<const std::uint32_t> lengths,
                                       const CascadeOptions& options, BlockStore* store) {
  std::uint64_t stride = 1;
  for (const std::uint32_t length : lengths) stride *= length;
  std::vector<SparseLevel> levels;
  std::vector<SparseLevelView> views;
  std::size_t num_parents = 1;
  for (std::size_t h = 0; h < lengths.size(); ++h) {
    stride /= lengths[h];
    const Level level = {h, LevelShape::of(num_parents, lengths[h]), stride};
    Ragged<std::uint32_t> candidates;
    if (h > 0 && options.candidates > 0) {
      context.report({"finding candidates", h, lengths.size(), "levels"});
      candidates = find_candidates(context, data, views, level, options);
    }
    Ragged<Visit> visits = collect_visits(data, level, candidates);
    candidates = {};
    levels.push_back(train_level(context, data, level, std::move(visits), options, store));
    views.push_back(levels.back().view());
    num_parents *= lengths[h];
    release_free_memory();  // of solvers and threads, or it adds to the next level's
  }
  return levels;
}

}  // namespace mhe::heads

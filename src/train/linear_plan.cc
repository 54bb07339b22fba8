// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/linear_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include <mhe/label_space.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "heads/node_solver.h"
#include "heads/sparse_level.h"
#include "kernels/dual_sweep.h"
#include "matrix/normalize.h"
#include "train/label_order.h"
#include "train/linear_rules.h"
#include "train/neighbours.h"
#include "train/tune.h"

namespace mhe::train {
namespace {

// Blocks solved of a level: the mean of so many, one from each of as many layers by size, is
// within a few per cent.
constexpr std::size_t kSampledBlocks = 16;

// Code, stacks and what the allocator keeps of threads, which training touches and planning does
// not: 4 to 6 MB, as measured.
constexpr std::uint64_t kProcessBytes = std::uint64_t{4} << 20U;

double megabytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

// What one solved block took and gave.
struct BlockFigures {
  std::uint64_t weights = 0;
  std::uint64_t records = 0;
  std::uint64_t record_bytes = 0;
  std::uint64_t example_bytes = 0;
  std::uint64_t lane_bytes = 0;
  std::vector<std::uint32_t> features;  // that have weights
};

// One level of the tree and how its parents' examples are shared out.
class LevelSampler {
 public:
  LevelSampler(const Context& context, const Examples& examples, const LabelOrder& order,
               const TrainOptions& options, std::size_t level)
      : context_(context),
        examples_(examples),
        positions_(order.positions()),
        options_(options),
        level_(level) {
    const auto lengths = order.space().lengths();
    std::size_t parents = 1;
    for (std::size_t h = 0; h < level; ++h) parents *= lengths[h];
    shape_ = heads::LevelShape::of(parents, lengths[level]);
    for (std::size_t h = level + 1; h < lengths.size(); ++h) stride_ *= lengths[h];
    count_visits();
    mean_.assign(examples.features.num_columns, 0.0F);
    for (std::size_t row = 0; row < examples.rows(); ++row) add_row(examples.features[row], mean_);
    normalize_l2(mean_);
  }

  CascadeLevelPlan run() {
    std::vector<std::size_t> blocks(shape_.num_blocks());
    std::iota(blocks.begin(), blocks.end(), std::size_t{0});
    std::stable_sort(blocks.begin(), blocks.end(), [&](std::size_t a, std::size_t b) {
      return true_visits_[parent_of(a)] > true_visits_[parent_of(b)];
    });
    // The middle of each layer stands for it; the largest block of all tells the memory.
    const std::size_t layers = level_ == 0 ? 1 : std::min(blocks.size(), kSampledBlocks);
    std::vector<std::size_t> chosen = {blocks[0]};
    if (layers > 1) {
      for (std::size_t i = 0; i < layers; ++i) {
        chosen.push_back(blocks[(2 * i + 1) * blocks.size() / (2 * layers)]);
      }
    }
    std::vector<BlockFigures> figures(chosen.size());
    parallel_for(context_, chosen.size(), [&](std::size_t i) { figures[i] = solve(chosen[i]); });
    return extrapolate(figures);
  }

 private:
  [[nodiscard]] std::size_t parent_of(std::size_t block) const noexcept {
    return block / shape_.blocks_per_parent;
  }
  [[nodiscard]] double root(std::size_t parent) const {
    return std::sqrt(static_cast<double>(true_visits_[parent]));
  }
  [[nodiscard]] std::uint64_t node_of(LabelId label) const {
    return positions_[index_of(label)] / stride_;
  }

  // Rows of each parent by their labels, and how many candidates the level will have: a search that
  // finds a row's true parents among its best leaves so many fewer.
  void count_visits() {
    true_visits_.assign(shape_.num_parents, 0);
    const std::size_t most =
        level_ == 0 ? 0
                    : std::min(static_cast<std::size_t>(options_.candidates), shape_.num_parents);
    std::vector<std::uint64_t> mine;
    for (std::size_t row = 0; row < examples_.rows(); ++row) {
      mine.clear();
      for (const LabelId label : examples_.labels[row]) {
        mine.push_back(node_of(label) / shape_.children_per_parent);
        ++true_visits_[mine.back()];
      }
      std::sort(mine.begin(), mine.end());
      const auto distinct =
          static_cast<std::size_t>(std::unique(mine.begin(), mine.end()) - mine.begin());
      num_candidates_ += most - std::min(most, distinct);
    }
    for (std::size_t parent = 0; parent < shape_.num_parents; ++parent) {
      sum_of_roots_ += root(parent);
    }
  }

  // How much larger than its first block the first level is: the weights of a child grow with its
  // examples, about as their fourth root on the data that this was tried with.
  [[nodiscard]] double blocks_by_examples() const {
    std::vector<double> counts(shape_.children_per_parent, 0.0);
    for (const LabelId label : examples_.labels.items) ++counts[node_of(label)];
    double all = 0;
    double first = 0;
    for (std::size_t child = 0; child < counts.size(); ++child) {
      const double size = std::sqrt(std::sqrt(counts[child]));
      all += size;
      if (child < shape_.block_width) first += size;
    }
    return first > 0 ? all / first : static_cast<double>(shape_.num_blocks());
  }

  // Rows that lean towards the parent's mean more than towards the mean of all, and are not its
  // own: the search would offer them too.
  void add_candidates(std::size_t parent, std::vector<heads::Visit>& visits) const {
    if (num_candidates_ == 0) return;
    const SparseMatrix& features = examples_.features;
    std::vector<float> direction(features.num_columns, 0.0F);
    std::vector<bool> own(examples_.rows(), false);
    for (const heads::Visit& visit : visits) {
      if (own[visit.row]) continue;
      own[visit.row] = true;
      add_row(features[visit.row], direction);
    }
    normalize_l2(direction);
    for (std::size_t i = 0; i < direction.size(); ++i) direction[i] -= mean_[i];
    std::vector<std::pair<float, std::uint32_t>> others;
    for (std::uint32_t r = 0; r < examples_.rows(); ++r) {
      if (own[r]) continue;
      const SparseRow row = features[r];
      float score = 0;
      for (std::size_t i = 0; i < row.size(); ++i) {
        score += row.values[i] * direction[row.columns[i]];
      }
      others.emplace_back(-score, r);
    }
    // Frequent parents are offered more often, but by far not in proportion.
    const double share = root(parent) / sum_of_roots_;
    const std::size_t count = std::min(
        others.size(), static_cast<std::size_t>(share * static_cast<double>(num_candidates_)));
    std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count),
                     others.end());
    others.resize(count);
    for (const auto& other : others) visits.push_back({other.second, heads::kNoChild});
    std::stable_sort(visits.begin(), visits.end(),
                     [](const heads::Visit& a, const heads::Visit& b) { return a.row < b.row; });
  }

  static void add_row(const SparseRow& row, std::vector<float>& sum) {
    for (std::size_t i = 0; i < row.size(); ++i) sum[row.columns[i]] += row.values[i];
  }

  [[nodiscard]] BlockFigures solve(std::size_t block) const {
    const std::size_t parent = parent_of(block);
    std::vector<heads::Visit> visits;
    for (std::uint32_t row = 0; row < examples_.rows(); ++row) {
      for (const LabelId label : examples_.labels[row]) {
        const std::uint64_t node = node_of(label);
        if (node / shape_.children_per_parent != parent) continue;
        visits.push_back({row, static_cast<std::uint32_t>(node % shape_.children_per_parent)});
      }
    }
    BlockFigures figures;
    if (visits.empty()) return figures;
    add_candidates(parent, visits);
    heads::NodeSolver solver(examples_.features, cascade_options(options_).solver);
    heads::NodeExamples gathered;
    solver.gather(visits, gathered);
    const heads::NodeWeights weights = solver.solve(
        gathered, visits, shape_.children_of_block(block), RandomStream(context_.seed(), "plan"));
    count_bytes(gathered, weights, figures);
    return figures;
  }

  void count_bytes(const heads::NodeExamples& gathered, const heads::NodeWeights& weights,
                   BlockFigures& figures) const {
    constexpr std::size_t kLanes = kernels::kGroupLanes;
    const auto children = static_cast<std::size_t>(std::popcount(weights.present));
    const std::size_t lanes =
        std::min(kernels::kMaxLanes, (children + kLanes - 1) / kLanes * kLanes);
    const std::size_t rows = gathered.rows.size();
    const std::size_t occurring =
        gathered.is_copy ? gathered.global_of.size() : examples_.features.num_columns;
    figures.example_bytes = rows * sizeof(kernels::SweepRow) +
                            4 * (gathered.columns.size() + gathered.global_of.size());
    // Duals, positives, order and state of the rows; weights, and their order by feature; what was
    // found of the children, in batches and together, in vectors that hold half as much again.
    const std::size_t found = 4 * weights.values.size() + 12 * weights.features.size();
    figures.lane_bytes = rows * (4 * lanes + 7) + occurring * (4 * lanes + 12) + 3 * found;
    kernels::RecordTable table;
    table.num_groups = shape_.mask_bytes();
    table.num_blocks = shape_.num_blocks();
    figures.features = weights.features;
    figures.records = weights.features.size();
    figures.weights = weights.values.size();
    for (const std::uint64_t mask : weights.masks) {
      const auto count = static_cast<std::size_t>(std::popcount(mask));
      figures.record_bytes += count <= table.max_pairs() ? 2 * count : table.num_groups + count;
      figures.record_bytes += table.entry_bytes();
    }
  }

  // Features that too many blocks know for a list have bitmaps of blocks in the file.
  [[nodiscard]] std::uint64_t bitmap_bytes(std::span<const BlockFigures> sampled) const {
    std::vector<std::uint32_t> counts(examples_.features.num_columns, 0);
    for (const BlockFigures& figures : sampled) {
      for (const std::uint32_t feature : figures.features) ++counts[feature];
    }
    const std::size_t words = (shape_.num_blocks() + 63) / 64;
    std::uint64_t bytes = 0;
    for (const std::uint32_t count : counts) {
      const std::size_t records = count * shape_.num_blocks() / sampled.size();
      if (records > kernels::kMaxListEntries) bytes += 1 + 16 * std::min(words, records);
    }
    return bytes;
  }

  [[nodiscard]] CascadeLevelPlan extrapolate(const std::vector<BlockFigures>& figures) const {
    CascadeLevelPlan plan;
    plan.nodes = shape_.num_parents;
    plan.blocks = shape_.num_blocks();
    BlockFigures sum;
    const std::size_t first = figures.size() > 1 ? 1 : 0;
    for (std::size_t i = first; i < figures.size(); ++i) {
      sum.weights += figures[i].weights;
      sum.records += figures[i].records;
      sum.record_bytes += figures[i].record_bytes;
    }
    const double scale = level_ == 0 ? blocks_by_examples()
                                     : static_cast<double>(plan.blocks) /
                                           static_cast<double>(figures.size() - first);
    const auto scaled = [&](std::uint64_t value) {
      return static_cast<std::uint64_t>(scale * static_cast<double>(value));
    };
    const std::uint64_t num_features = examples_.features.num_columns;
    const std::uint64_t records = scaled(sum.records);
    const std::uint64_t stream = scaled(sum.record_bytes) +
                                 2 * std::min<std::uint64_t>(num_features, records) +
                                 bitmap_bytes(std::span(figures).subspan(first));
    const std::uint64_t rows = examples_.rows();
    plan.weights = scaled(sum.weights);
    plan.model_bytes = stream + 4 * num_features + plan.blocks * (4 * shape_.block_width + 8);
    plan.candidate_bytes = num_candidates_ == 0 ? 0 : 4 * num_candidates_ + 8 * rows;
    plan.visit_bytes =
        8 * (num_candidates_ + examples_.labels.items.size()) + 16 * shape_.num_parents;
    // Solvers keep the most that a block took. The block of most rows need not be the one: its
    // examples may be used where they are.
    BlockFigures largest;
    for (const BlockFigures& block : figures) {
      largest.example_bytes = std::max(largest.example_bytes, block.example_bytes);
      largest.lane_bytes = std::max(largest.lane_bytes, block.lane_bytes);
    }
    const bool shared = shape_.blocks_per_parent > 1;
    plan.shared_bytes = shared ? largest.example_bytes : 0;
    plan.solver_bytes =
        4 * num_features + largest.lane_bytes + (shared ? 0 : largest.example_bytes);
    plan.solved_bytes =
        12 * records + 4 * plan.weights + plan.blocks * (128 + 4 * shape_.block_width);
    plan.building_bytes = 8 * num_features;
    return plan;
  }

  const Context& context_;
  const Examples& examples_;
  std::span<const std::uint64_t> positions_;
  const TrainOptions& options_;
  std::size_t level_;
  heads::LevelShape shape_;
  std::uint64_t stride_ = 1;
  std::vector<std::uint64_t> true_visits_;  // by parent
  double sum_of_roots_ = 0;                 // of true_visits_
  std::uint64_t num_candidates_ = 0;
  std::vector<float> mean_;  // of all rows, of length 1
};

// The peak while the levels of the last cascade are trained.
std::uint64_t peak_with(const LinearPlan& plan, std::size_t solvers) {
  std::uint64_t cascade = 8 * plan.labels;
  for (const CascadeLevelPlan& level : plan.levels) cascade += level.model_bytes;
  std::uint64_t held = plan.resident_bytes + (plan.members - 1) * cascade + 8 * plan.labels;
  std::uint64_t peak = std::max(plan.preparing_bytes, held);
  for (const CascadeLevelPlan& level : plan.levels) {
    const std::uint64_t finding = 2 * level.candidate_bytes;
    const std::uint64_t sharing = level.candidate_bytes + level.visit_bytes;
    const std::uint64_t solving = level.visit_bytes + level.shared_bytes + level.solved_bytes +
                                  std::min(solvers, level.blocks) * level.solver_bytes;
    const std::uint64_t building = level.solved_bytes + level.building_bytes + level.model_bytes;
    peak = std::max(peak, held + std::max({finding, sharing, solving, building}));
    held += level.model_bytes;
  }
  return std::max(peak, held + plan.neighbour_bytes);
}

std::uint64_t bytes_of_file(const TrainingSet& set, const LinearPlan& plan) {
  constexpr std::uint64_t kHeader = 4096;
  std::uint64_t capacity = 1;
  for (const std::uint32_t length : plan.lengths) capacity *= length;
  std::uint64_t cascade = 4 * capacity;
  for (const CascadeLevelPlan& level : plan.levels) cascade += level.model_bytes;
  std::uint64_t bytes = kHeader + plan.members * cascade + 4 * plan.labels;
  for (std::size_t label = set.names.num_numbered(); label < plan.labels; ++label) {
    bytes += 8 + set.names.name(LabelId{static_cast<std::uint32_t>(label)}).size();
  }
  bytes += std::span(set.feature_weights.columns).size_bytes();
  if (!set.vectorizer) return bytes;
  const text::VectorizerView& view = set.vectorizer->view();
  return bytes + view.part_offsets.size_bytes() + view.term_begins.size_bytes() +
         view.terms.size_bytes() + view.df.size_bytes() + view.idf.size_bytes() +
         view.slots.size_bytes();
}

// As many solvers as fit.
void fit_to(std::uint64_t ram_bytes, LinearPlan& plan) {
  const auto needs = [&](std::size_t solvers) {
    return static_cast<std::uint64_t>(kReserve * static_cast<double>(peak_with(plan, solvers)));
  };
  while (ram_bytes > 0 && plan.solvers > 1 && needs(plan.solvers) > ram_bytes) --plan.solvers;
  if (ram_bytes > 0 && needs(plan.solvers) > ram_bytes) {
    fail(ErrorCode::kResourceLimit,
         "training needs about {:.0f} MB with one solver at a time; {:.0f} MB were allowed. Fewer "
         "features, fewer rows or a larger prune take less",
         megabytes(needs(1)), megabytes(ram_bytes));
  }
  plan.train_bytes = peak_with(plan, plan.solvers);
}

}  // namespace

void check_budget(std::uint64_t needed, std::uint64_t ram_bytes, const std::string& what) {
  if (ram_bytes == 0 || needed <= ram_bytes) return;
  fail(ErrorCode::kResourceLimit,
       "{} takes {:.0f} MB; {:.0f} MB were allowed. Fewer rows or features, or a larger budget "
       "help",
       what, megabytes(needed), megabytes(ram_bytes));
}

LinearPlan plan_linear(const Context& context, const TrainingSet& set, const TrainOptions& options,
                       std::uint64_t ram_bytes) {
  LinearPlan plan;
  const Examples& examples = set.examples;
  plan.rows = examples.rows();
  plan.labels = set.names.size();
  plan.features = examples.features.num_columns;
  plan.nonzeros = examples.features.nonzeros();
  plan.feature_bytes = 8 * (plan.nonzeros + plan.rows);
  if (should_try_neighbours(set, options)) plan.neighbour_bytes = neighbour_bytes(set);
  plan.members = options.ensemble;
  plan.lengths = member_lengths(options, set.names.size(), 0);
  plan.solvers = context.threads();
  const LabelOrder order =
      order_labels(context, examples, ordered_labels(set), options.order, plan.lengths);
  plan.preparing_bytes = process_memory().peak;
  release_free_memory();  // what ordering leaves in pieces stays, as it will in training
  plan.resident_bytes = std::max(process_memory().resident, plan.feature_bytes) + kProcessBytes;
  if (should_choose_loss_weight(examples.features)) {
    plan.resident_bytes += loss_weight_search_bytes(examples.features);
  }
  check_budget(plan.preparing_bytes, ram_bytes, "ordering the labels");
  // Within a budget one block after the other: how many fit at once is not known yet.
  const Context alone({.threads = 1, .seed = context.seed()});
  const Context& sampling = ram_bytes > 0 ? alone : context;
  for (std::size_t h = 0; h < plan.lengths.size(); ++h) {
    plan.levels.push_back(LevelSampler(sampling, examples, order, options, h).run());
  }
  plan.model_bytes = bytes_of_file(set, plan);
  // Those that are only tried stay if they help, which nobody knows before.
  plan.neighbours_are_sure = options.neighbours > 0;
  if (plan.neighbours_are_sure) plan.model_bytes += plan.neighbour_bytes;
  fit_to(ram_bytes, plan);
  release_free_memory();
  return plan;
}

}  // namespace mhe::train

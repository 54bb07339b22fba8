// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The clustered label order: a tree of balanced 2-means splits that follows the lengths.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "labels/order.h"

namespace mhe {
namespace {

// A group under construction: the labels at [begin, end) of the arrangement will take the slots
// from position `first` to `last`, whole digits of `level`.
struct Node {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t level = 0;
};

struct Scored {
  double score = 0;
  LabelId label = {};

  // Best first; equal scores by id, so that a split is never a matter of chance.
  friend bool operator<(const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.label < b.label;
  }
};

// Dense vectors over features, one set for each thread; zero between splits.
struct Workspace {
  std::vector<float> all;              // sum of the node's labels
  std::vector<float> first;            // sum of those in the first half
  std::vector<float> direction;        // from the second half's centroid to the first's
  std::vector<std::uint32_t> columns;  // those that occur in the node
};

// Four sums that do not wait for each other; in double, for a label may have thousands of features.
double dot(const SparseRow& row, const std::vector<float>& direction) {
  std::array<double, 4> sums = {};
  const auto product = [&](std::size_t i) {
    return static_cast<double>(direction[row.columns[i]]) * static_cast<double>(row.values[i]);
  };
  std::size_t i = 0;
  for (; i + 4 <= row.size(); i += 4) {
    sums[0] += product(i);
    sums[1] += product(i + 1);
    sums[2] += product(i + 2);
    sums[3] += product(i + 3);
  }
  for (; i < row.size(); ++i) sums[0] += product(i);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

class Clusterer {
 public:
  Clusterer(const Context& context, const SparseMatrix& centroids,
            std::span<const std::uint32_t> lengths, const ClusterOptions& options)
      : context_(context),
        centroids_(centroids),
        options_(options),
        slots_(centroids.rows(), lengths, options.placement),
        scored_(centroids.rows()),
        workspaces_(context.threads()) {
    std::uint64_t stride = slots_.capacity();
    for (const std::uint32_t length : lengths) strides_.push_back(stride /= length);
    for (std::size_t i = 0; i < scored_.size(); ++i) scored_[i].label = static_cast<LabelId>(i);
  }

  // Positions of all labels. Works down the tree level by level of splits: few large nodes share
  // all threads, many small ones get a thread each. Either way a node's arithmetic is the same.
  std::vector<std::uint64_t> run() {
    std::vector<Node> nodes = {{0, scored_.size(), 0, slots_.capacity(), 0}};
    std::size_t done = 0;
    while (!nodes.empty()) {
      std::vector<std::array<Node, 2>> children(nodes.size());
      if (nodes.size() < context_.threads()) {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          children[i] = split(nodes[i], workspaces_[0], &context_);
        }
      } else {
        parallel_blocks(context_, nodes.size(), 1, [&](const Block& block) {
          children[block.begin] = split(nodes[block.begin], workspaces_[block.worker], nullptr);
        });
      }
      done += nodes.size();
      context_.report({"clustering labels", done, 0, "groups"});
      nodes.clear();
      for (const auto& pair : children) {
        for (const Node& child : pair) {
          if (child.end - child.begin > 1) nodes.push_back(child);
        }
      }
    }
    return positions();
  }

 private:
  // labels::Slots of one last-level group are filled by id.
  std::vector<std::uint64_t> positions() {
    const std::uint64_t group =
        strides_.size() > 1 ? strides_[strides_.size() - 2] : slots_.capacity();
    std::vector<std::uint64_t> positions(scored_.size());
    for (std::size_t begin = 0; begin < scored_.size();) {
      const std::uint64_t next_group = (slots_.position(begin) / group + 1) * group;
      const std::size_t end = slots_.before(next_group);
      std::sort(scored_.begin() + static_cast<std::ptrdiff_t>(begin),
                scored_.begin() + static_cast<std::ptrdiff_t>(end),
                [](const Scored& a, const Scored& b) { return a.label < b.label; });
      for (; begin < end; ++begin) {
        positions[index_of(scored_[begin].label)] = slots_.position(begin);
      }
    }
    return positions;
  }

  // Halves a node's digits and shares its labels out; two empty nodes if it is a last-level group.
  std::array<Node, 2> split(Node node, Workspace& workspace, const Context* threads) {
    const std::uint64_t width = node.last - node.first;
    while (node.level + 1 < strides_.size() && strides_[node.level] == width) ++node.level;
    if (node.level + 1 == strides_.size()) return {};
    const std::uint64_t digits = width / strides_[node.level];
    const std::uint64_t middle = node.first + digits / 2 * strides_[node.level];
    const std::size_t cut = slots_.before(middle);
    if (cut > node.begin && cut < node.end) divide(node, cut, workspace, threads);
    return {Node{node.begin, cut, node.first, middle, node.level},
            Node{cut, node.end, middle, node.last, node.level}};
  }

  // Balanced 2-means on the sphere: the labels that lean most towards the first centroid, as many
  // as fit before `cut`, make it up anew.
  void divide(const Node& node, std::size_t cut, Workspace& workspace, const Context* threads) {
    const std::span<Scored> members = std::span(scored_).subspan(node.begin, node.end - node.begin);
    const std::size_t half = cut - node.begin;
    add_labels(members, workspace);
    seed_direction(node, members, workspace);
    std::vector<LabelId> previous;
    for (std::int32_t iteration = 0; iteration < options_.max_iterations; ++iteration) {
      score(members, workspace.direction, threads);
      std::nth_element(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(half),
                       members.end());
      // The order within a half is the library's business; by id, sums do not depend on it.
      const auto by_label = [](const Scored& a, const Scored& b) { return a.label < b.label; };
      std::sort(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(half), by_label);
      std::sort(members.begin() + static_cast<std::ptrdiff_t>(half), members.end(), by_label);
      std::vector<LabelId> chosen(half);
      for (std::size_t i = 0; i < half; ++i) chosen[i] = members[i].label;
      if (chosen == previous) break;
      if (iteration + 1 < options_.max_iterations) {
        move_labels(previous, chosen, workspace.first);
        update_direction(workspace);
      }
      previous = std::move(chosen);
    }
    for (const std::uint32_t column : workspace.columns) {
      workspace.all[column] = workspace.first[column] = workspace.direction[column] = 0;
    }
  }

  // The columns that occur, and the sum of all labels.
  void add_labels(std::span<const Scored> members, Workspace& workspace) const {
    for (auto* sum : {&workspace.all, &workspace.first, &workspace.direction}) {
      sum->resize(centroids_.num_columns, 0);
    }
    std::vector<float>& mark = workspace.first;
    workspace.columns.clear();
    for (const Scored& member : members) {
      const SparseRow row = centroids_[index_of(member.label)];
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::uint32_t column = row.columns[i];
        if (mark[column] == 0) workspace.columns.push_back(column);
        mark[column] = 1;
        workspace.all[column] += row.values[i];
      }
    }
    for (const std::uint32_t column : workspace.columns) mark[column] = 0;
  }

  // Two labels drawn at random stand for the halves at first.
  void seed_direction(const Node& node, std::span<const Scored> members,
                      Workspace& workspace) const {
    RandomStream random(context_.seed(), "order.split", node.first * 64 + node.level);
    const std::size_t a = random.below(members.size());
    const std::size_t b = (a + 1 + random.below(members.size() - 1)) % members.size();
    add_row(members[a].label, 1, workspace.direction);
    add_row(members[b].label, -1, workspace.direction);
  }

  void add_row(LabelId label, float weight, std::vector<float>& sum) const {
    const SparseRow row = centroids_[index_of(label)];
    for (std::size_t i = 0; i < row.size(); ++i) sum[row.columns[i]] += weight * row.values[i];
  }

  void score(std::span<Scored> members, const std::vector<float>& direction,
             const Context* threads) const {
    for_blocks(threads, members.size(), [&](std::size_t begin, std::size_t end) {
      for (Scored& member : members.subspan(begin, end - begin)) {
        member.score = dot(centroids_[index_of(member.label)], direction);
      }
    });
  }

  // The sum of the first half after its labels, ascending, have become others. Few change after the
  // first iteration, and what these cost is all that a split's sums cost.
  void move_labels(std::span<const LabelId> old_labels, std::span<const LabelId> new_labels,
                   std::vector<float>& sum) const {
    std::size_t o = 0;
    std::size_t n = 0;
    while (o < old_labels.size() || n < new_labels.size()) {
      const bool is_old = o < old_labels.size();
      const bool is_new = n < new_labels.size();
      if (is_old && is_new && old_labels[o] == new_labels[n]) {
        ++o;
        ++n;
      } else if (!is_new || (is_old && old_labels[o] < new_labels[n])) {
        add_row(old_labels[o++], -1, sum);
      } else {
        add_row(new_labels[n++], 1, sum);
      }
    }
  }

  // direction = centroid of the first half - centroid of the second, each of unit length.
  static void update_direction(Workspace& workspace) {
    double first_squares = 0;
    double second_squares = 0;
    for (const std::uint32_t column : workspace.columns) {
      const double first = workspace.first[column];
      const double second = static_cast<double>(workspace.all[column]) - first;
      first_squares += first * first;
      second_squares += second * second;
    }
    const auto inverse_root = [](double squares) {
      return squares > 0 ? 1 / std::sqrt(squares) : 0;
    };
    const double first_scale = inverse_root(first_squares);
    const double second_scale = inverse_root(second_squares);
    for (const std::uint32_t column : workspace.columns) {
      const double first = workspace.first[column];
      const double second = static_cast<double>(workspace.all[column]) - first;
      workspace.direction[column] = static_cast<float>(first * first_scale - second * second_scale);
    }
  }

  template <class Body>
  static void for_blocks(const Context* threads, std::size_t count, const Body& body) {
    constexpr std::size_t kGrain = 256;  // rows of some hundred entries: tens of microseconds
    if (threads == nullptr) {
      body(0, count);
    } else {
      parallel_blocks(*threads, count, kGrain,
                      [&](const Block& block) { body(block.begin, block.end); });
    }
  }

  const Context& context_;
  const SparseMatrix& centroids_;
  const ClusterOptions& options_;
  labels::Slots slots_;
  std::vector<std::uint64_t> strides_;  // [level]: positions of one of its digits
  std::vector<Scored> scored_;          // the arrangement: i-th label, i-th slot
  std::vector<Workspace> workspaces_;
};

}  // namespace

LabelOrder clustered_order(const Context& context, const SparseMatrix& centroids,
                           std::vector<std::uint32_t> lengths, const ClusterOptions& options) {
  require(centroids.rows() >= 1, "an order needs at least 1 label");
  for (std::size_t i = 0; i < centroids.nonzeros(); ++i) {  // NaN would leave labels without order
    require(centroids.columns[i] < centroids.num_columns && std::isfinite(centroids.values[i]),
            "entry {} of the centroids is column {}, value {}; expected a finite value in a column "
            "below {}",
            i, centroids.columns[i], centroids.values[i], centroids.num_columns);
  }
  require(options.max_iterations >= 1, "2-means needs at least 1 iteration, got {}",
          options.max_iterations);
  std::vector<std::uint64_t> positions = Clusterer(context, centroids, lengths, options).run();
  return {std::move(lengths), std::move(positions)};
}

}  // namespace mhe

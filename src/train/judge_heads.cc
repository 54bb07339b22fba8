// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/judge_heads.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "heads/find_tensor.h"
#include "heads/product_targets.h"

namespace mhe::train {
namespace {

using Beam = std::vector<std::uint64_t>;  // nodes, best first

// The nodes of level `level` that a search keeps, for every row.
std::vector<Beam> beams_at(const Context& context, const model::TrainedMember& member,
                           const SparseMatrix& rows, std::size_t level) {
  std::vector<heads::SparseLevelView> views;
  for (std::size_t h = 0; h <= level; ++h) views.push_back(member.levels[h].view());
  // Up to the last level paths count in full, as in any search.
  const bool last = level + 1 == member.levels.size();
  const heads::BeamOptions options = {member.search.beam, last ? member.search.parent_power : 1.0F};
  std::vector<Beam> beams(rows.rows());
  std::vector<heads::BeamScratch> scratch(context.threads());
  constexpr std::size_t kGrain = 64;  // rows a block: some milliseconds
  parallel_blocks(context, rows.rows(), kGrain, [&](const Block& block) {
    heads::BeamScratch& mine = scratch[block.worker];
    for (std::size_t row = block.begin; row < block.end; ++row) {
      heads::search_beam(views, rows[row], member.search.beam, options, mine);
      for (const heads::ScoredNode& node : mine.beam) beams[row].push_back(node.node);
    }
  });
  return beams;
}

// Positions of the tree under one node of a level.
std::uint64_t stride_of(const model::TrainedMember& member, std::size_t level) {
  std::uint64_t stride = 1;
  for (std::size_t h = level + 1; h < member.levels.size(); ++h) {
    stride *= member.levels[h].shape.children_per_parent;
  }
  return stride;
}

// The nodes of a level above a row's true labels, ascending, one for each label that the tree has.
Beam true_nodes(const model::TrainedMember& member, std::span<const LabelId> labels,
                std::uint64_t stride) {
  Beam nodes;
  for (const LabelId label : labels) {
    if (index_of(label) >= member.order.num_labels()) continue;
    nodes.push_back(member.order.positions()[index_of(label)] / stride);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

// What each head of a learned member has to choose for a label.
class LabelPaths {
 public:
  explicit LabelPaths(const model::LearnedMember& member) : spec_(member.head) {
    if (spec_.kind == HeadKind::kProduct) {
      targets_.emplace(spec_, member.find_tensor());
      return;
    }
    const auto label_at = heads::find_label_at(member.find_tensor(), capacity());
    if (label_at.empty()) return;
    position_of_.resize(spec_.num_labels);
    for (std::uint32_t position = 0; position < label_at.size(); ++position) {
      if (label_at[position] < spec_.num_labels) position_of_[label_at[position]] = position;
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> of(LabelId label) const {
    std::vector<std::uint32_t> path;
    if (targets_) {
      targets_->append(std::span(&label, 1), path);
      return path;
    }
    const std::size_t index = index_of(label);
    const std::uint64_t position = position_of_.empty() ? index : position_of_[index];
    std::uint64_t stride = capacity();
    for (const std::uint32_t length : spec_.lengths) {
      stride /= length;
      path.push_back(static_cast<std::uint32_t>(position / stride));
    }
    return path;
  }

 private:
  [[nodiscard]] std::uint64_t capacity() const {
    std::uint64_t all = 1;
    for (const std::uint32_t length : spec_.lengths) all *= length;
    return all;
  }

  const heads::HeadSpec& spec_;
  std::optional<heads::ProductTargets> targets_;
  std::vector<std::uint32_t> position_of_;  // [label]; none if position = id
};

using Taken = std::map<std::pair<std::uint64_t, std::uint64_t>, double>;  // (true, best) -> rows

Taken count_taken(const Context& context, const model::TrainedMember& member,
                  const Examples& judged) {
  const std::uint64_t stride = stride_of(member, 0);
  const std::vector<Beam> beams = beams_at(context, member, judged.features, 0);
  Taken taken;
  for (std::size_t row = 0; row < judged.rows(); ++row) {
    Beam truth = true_nodes(member, judged.labels[row], stride);
    truth.erase(std::unique(truth.begin(), truth.end()), truth.end());
    if (truth.empty() || beams[row].empty()) continue;
    const std::uint64_t best = beams[row].front();
    if (std::binary_search(truth.begin(), truth.end(), best)) truth = {best};
    for (const std::uint64_t group : truth) {
      taken[{group, best}] += 1.0 / static_cast<double>(truth.size());
    }
  }
  return taken;
}

// Groups that are taken for each other, either way, most often; ascending.
std::vector<std::uint64_t> most_confused(const Taken& taken, std::size_t max_groups) {
  Taken mistakes;
  for (const auto& [pair, rows] : taken) {
    if (pair.first != pair.second) mistakes[std::minmax(pair.first, pair.second)] += rows;
  }
  using Mistake = std::pair<std::pair<std::uint64_t, std::uint64_t>, double>;
  std::vector<Mistake> ranked(mistakes.begin(), mistakes.end());
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Mistake& a, const Mistake& b) { return a.second > b.second; });
  std::set<std::uint64_t> groups;
  for (const Mistake& mistake : ranked) {
    if (groups.size() + 2 > max_groups) break;
    groups.insert(mistake.first.first);
    groups.insert(mistake.first.second);
  }
  return {groups.begin(), groups.end()};
}

HeadGroup describe_group(const model::TrainedMember& member, std::uint64_t group,
                         const labels::LabelNames& names, std::span<const std::uint32_t> counts) {
  constexpr std::size_t kExamples = 3;
  const std::uint64_t stride = stride_of(member, 0);
  const auto sorted = member.order.labels();  // by position
  const auto first_at = [&](std::uint64_t position) {
    return std::partition_point(sorted.begin(), sorted.end(), [&](LabelId label) {
      return member.order.positions()[index_of(label)] < position;
    });
  };
  std::vector<LabelId> members(first_at(group * stride), first_at((group + 1) * stride));
  HeadGroup description;
  description.labels = members.size();
  std::stable_sort(members.begin(), members.end(),
                   [&](LabelId a, LabelId b) { return counts[index_of(a)] > counts[index_of(b)]; });
  if (members.size() > kExamples) members.resize(kExamples);
  for (const LabelId label : members) description.examples.push_back(names.name(label));
  return description;
}

}  // namespace

std::vector<HeadAccuracy> judge_heads(const Context& context, const model::TrainedMember& member,
                                      const Examples& judged) {
  std::vector<HeadAccuracy> heads;
  std::uint64_t choices = 1;
  for (std::size_t level = 0; level < member.levels.size(); ++level) {
    choices *= member.levels[level].shape.children_per_parent;
    const std::vector<Beam> beams = beams_at(context, member, judged.features, level);
    const std::uint64_t stride = stride_of(member, level);
    std::size_t best_right = 0;
    std::size_t kept = 0;
    for (std::size_t row = 0; row < judged.rows(); ++row) {
      const Beam truth = true_nodes(member, judged.labels[row], stride);
      const Beam& beam = beams[row];
      if (!beam.empty() && std::binary_search(truth.begin(), truth.end(), beam.front())) {
        ++best_right;
      }
      for (const std::uint64_t node : truth) {
        kept += static_cast<std::size_t>(std::find(beam.begin(), beam.end(), node) != beam.end());
      }
    }
    const auto share = [](std::size_t part, std::size_t all) {
      return static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(1, all));
    };
    heads.push_back({fmt::format("head {}", level + 1), choices, share(best_right, judged.rows()),
                     share(kept, judged.labels.items.size())});
  }
  return heads;
}

std::vector<HeadAccuracy> judge_heads(const model::LearnedMember& member,
                                      const Ragged<mhe::Prediction>& ranked,
                                      const Ragged<LabelId>& truth) {
  const heads::HeadSpec& spec = member.head;
  const bool has_digits =
      spec.kind == HeadKind::kProduct && spec.code != heads::ProductCode::kPowerset;
  if (!has_digits && spec.kind != HeadKind::kCascade) return {};
  const LabelPaths paths(member);
  const std::size_t num_heads = spec.lengths.size();
  std::vector<std::size_t> right(num_heads, 0);
  for (std::size_t row = 0; row < truth.rows(); ++row) {
    if (ranked[row].empty()) continue;
    const std::vector<std::uint32_t> best = paths.of(ranked[row].front().label);
    std::vector<bool> found(num_heads, false);
    for (const LabelId label : truth[row]) {
      if (index_of(label) >= spec.num_labels) continue;
      const std::vector<std::uint32_t> path = paths.of(label);
      for (std::size_t h = 0; h < num_heads; ++h) found[h] = found[h] || path[h] == best[h];
    }
    for (std::size_t h = 0; h < num_heads; ++h) right[h] += found[h] ? 1 : 0;
  }
  std::vector<HeadAccuracy> heads;
  std::uint64_t choices = 1;
  for (std::size_t h = 0; h < num_heads; ++h) {
    choices = spec.kind == HeadKind::kProduct ? spec.lengths[h] : choices * spec.lengths[h];
    heads.push_back({fmt::format("head {}", h + 1), choices,
                     static_cast<double>(right[h]) /
                         static_cast<double>(std::max<std::size_t>(1, truth.rows())),
                     std::numeric_limits<double>::quiet_NaN()});
  }
  return heads;
}

HeadConfusion confuse_heads(const Context& context, const model::TrainedMember& member,
                            const Examples& judged, const labels::LabelNames& names,
                            std::span<const std::uint32_t> counts, std::size_t max_groups) {
  const Taken taken = count_taken(context, member, judged);
  const std::vector<std::uint64_t> groups = most_confused(taken, max_groups);
  HeadConfusion confusion;
  confusion.all_groups = member.levels.front().shape.children_per_parent;
  confusion.taken.assign(groups.size() * groups.size(), 0);
  for (const std::uint64_t group : groups) {
    confusion.groups.push_back(describe_group(member, group, names, counts));
  }
  const auto place = [&](std::uint64_t group) {
    const auto found = std::lower_bound(groups.begin(), groups.end(), group);
    return found != groups.end() && *found == group
               ? static_cast<std::size_t>(found - groups.begin())
               : groups.size();
  };
  for (const auto& [pair, rows] : taken) {
    const std::size_t truth = place(pair.first);
    const std::size_t best = place(pair.second);
    if (truth < groups.size()) confusion.groups[truth].rows += rows;
    if (truth < groups.size() && best < groups.size()) {
      confusion.taken[truth * groups.size() + best] += rows;
    }
  }
  return confusion;
}

}  // namespace mhe::train

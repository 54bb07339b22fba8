// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/head_quality.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "heads/product_targets.h"
#include "predict/head_accuracy.h"

namespace mhe::train {
namespace {

using Beam = std::vector<std::uint64_t>;  // nodes, best first

constexpr std::size_t kJudgeGrain = 64;  // rows a block: some milliseconds

// The nodes of level `level` that a search keeps, for every row.
std::vector<Beam> beams_at(const Context& context, const TrainedCascade& member,
                           const SparseMatrix& rows, std::size_t level) {
  std::vector<heads::SparseLevelView> views;
  for (std::size_t h = 0; h <= level; ++h) views.push_back(member.levels[h].view());
  // Up to the last level paths count in full, as in any search.
  const bool last = level + 1 == member.levels.size();
  const heads::BeamOptions options = {member.search.beam, last ? member.search.parent_power : 1.0F};
  std::vector<Beam> beams(rows.rows());
  std::vector<heads::BeamScratch> scratch(context.threads());
  parallel_blocks(context, rows.rows(), kJudgeGrain, [&](const Block& block) {
    heads::BeamScratch& mine = scratch[block.worker];
    for (std::size_t row = block.begin; row < block.end; ++row) {
      heads::search_beam(views, rows[row], member.search.beam, options, mine);
      for (const heads::ScoredNode& node : mine.beam) beams[row].push_back(node.node);
    }
  });
  return beams;
}

// Positions of the tree under one node of a level.
std::uint64_t stride_of(const TrainedCascade& member, std::size_t level) {
  std::uint64_t stride = 1;
  for (std::size_t h = level + 1; h < member.levels.size(); ++h) {
    stride *= member.levels[h].shape.children_per_parent;
  }
  return stride;
}

// The nodes of a level above a row's true labels, ascending, one for each label that the tree has.
Beam true_nodes(const TrainedCascade& member, std::span<const LabelId> labels,
                std::uint64_t stride) {
  Beam nodes;
  for (const LabelId label : labels) {
    if (index_of(label) >= member.order.num_labels()) continue;
    nodes.push_back(member.order.positions()[index_of(label)] / stride);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

double share_of(std::size_t part, std::size_t all) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(1, all));
}

predict::HeadAccuracy accuracy_of(const TrainedCascade& member) {
  std::vector<std::uint32_t> lengths;
  for (const heads::SparseLevel& level : member.levels) {
    lengths.push_back(static_cast<std::uint32_t>(level.shape.children_per_parent));
  }
  return predict::HeadAccuracy(model::HeadTargets(lengths, model::labels_by_position(member.order),
                                                  member.order.num_labels()));
}

// The share of true labels whose node of a level is in the beam of their row.
double share_kept(const TrainedCascade& member, const Ragged<LabelId>& truth,
                  std::span<const Beam> beams, std::size_t level) {
  const std::uint64_t stride = stride_of(member, level);
  std::size_t kept = 0;
  for (std::size_t row = 0; row < truth.rows(); ++row) {
    const Beam& beam = beams[row];
    for (const std::uint64_t node : true_nodes(member, truth[row], stride)) {
      kept += static_cast<std::size_t>(std::find(beam.begin(), beam.end(), node) != beam.end());
    }
  }
  return share_of(kept, truth.items.size());
}

std::vector<HeadQuality> describe_heads(const predict::HeadAccuracy& accuracy) {
  std::vector<HeadQuality> heads;
  const std::vector<double> shares = accuracy.shares();
  const std::vector<std::uint64_t> choices = accuracy.targets().choices();
  for (std::size_t h = 0; h < shares.size(); ++h) {
    heads.push_back({fmt::format("head {}", h + 1), choices[h], shares[h],
                     std::numeric_limits<double>::quiet_NaN()});
  }
  return heads;
}

// What a member chooses for a row.
struct Choice {
  std::vector<std::uint32_t> heads = {};  // each by itself
  std::optional<LabelId> label = {};      // the best
};

std::vector<Choice> choose(const Context& context, const model::DenseMember& member,
                           const Examples& rows) {
  std::vector<Choice> choices(rows.rows());
  std::vector<std::unique_ptr<model::MemberSearch>> searches(context.threads());
  parallel_blocks(context, rows.rows(), kJudgeGrain, [&](const Block& block) {
    auto& search = searches[block.worker];
    if (!search) search = member.make_search(member.parts().head.num_labels);
    std::vector<ScoredLabel> found;
    for (std::size_t row = block.begin; row < block.end; ++row) {
      const SparseRow sparse = rows.are_dense() ? SparseRow() : rows.features[row];
      const DenseRow dense = rows.are_dense() ? rows.dense[row] : DenseRow();
      search->begin(rows.are_dense() ? InputBatch(DenseRows{{&dense, 1}})
                                     : InputBatch(SparseRows{{&sparse, 1}}));
      found.clear();
      search->search(0, {.labels = 1}, found);
      if (!found.empty()) choices[row].label = found.front().label;
      const std::span<const std::uint32_t> heads = search->best_choices();
      choices[row].heads.assign(heads.begin(), heads.end());
    }
  });
  return choices;
}

predict::HeadAccuracy compare_heads(model::HeadTargets targets, const Examples& rows,
                                    std::span<const Choice> choices) {
  predict::HeadAccuracy accuracy(std::move(targets));
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    accuracy.add(rows.labels[row], choices[row].heads);
  }
  return accuracy;
}

// Whether these digits are that set of labels, which are ascending.
bool is_set(const LabelSpace& space, std::span<const std::uint32_t> digits,
            std::span<const LabelId> truth) {
  const std::vector<std::uint32_t> members = space.set_members(digits);
  return std::equal(members.begin(), members.end(), truth.begin(), truth.end(),
                    [](std::uint32_t member, LabelId label) { return member == index_of(label); });
}

using Taken = std::map<std::pair<std::uint64_t, std::uint64_t>, double>;  // (true, best) -> rows

Taken count_taken(const Context& context, const TrainedCascade& member,
                  const Examples& validation) {
  const std::uint64_t stride = stride_of(member, 0);
  const std::vector<Beam> beams = beams_at(context, member, validation.features, 0);
  Taken taken;
  for (std::size_t row = 0; row < validation.rows(); ++row) {
    Beam truth = true_nodes(member, validation.labels[row], stride);
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

HeadGroup describe_group(const TrainedCascade& member, std::uint64_t group, const LabelNames& names,
                         std::span<const std::uint32_t> counts) {
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

std::vector<HeadQuality> measure_heads(const Context& context, const TrainedCascade& member,
                                       const Examples& validation) {
  std::vector<std::vector<std::uint32_t>> chosen(validation.rows());  // [row][level]
  std::vector<double> kept;
  for (std::size_t level = 0; level < member.levels.size(); ++level) {
    const std::vector<Beam> beams = beams_at(context, member, validation.features, level);
    kept.push_back(share_kept(member, validation.labels, beams, level));
    for (std::size_t row = 0; row < validation.rows(); ++row) {
      if (beams[row].empty()) continue;
      chosen[row].push_back(static_cast<std::uint32_t>(beams[row].front()));
    }
  }
  predict::HeadAccuracy accuracy = accuracy_of(member);
  for (std::size_t row = 0; row < validation.rows(); ++row) {
    accuracy.add(validation.labels[row], chosen[row]);
  }
  std::vector<HeadQuality> heads = describe_heads(accuracy);
  for (std::size_t level = 0; level < heads.size(); ++level) heads[level].kept = kept[level];
  return heads;
}

std::vector<HeadQuality> measure_heads(const Context& context, const model::DenseMember& member,
                                       const Examples& validation) {
  auto targets = member.head_targets(member.parts().head.num_labels);
  if (!targets) return {};
  return describe_heads(
      compare_heads(*std::move(targets), validation, choose(context, member, validation)));
}

Accuracy measure_accuracy(const Context& context, const model::DenseMember& member,
                          const Examples& rows) {
  const std::vector<Choice> choices = choose(context, member, rows);
  Accuracy accuracy;
  if (auto targets = member.head_targets(member.parts().head.num_labels)) {
    for (const double share : compare_heads(*std::move(targets), rows, choices).shares()) {
      accuracy.heads.push_back(100 * share);
    }
  }
  std::size_t labeled = 0;
  std::size_t hits = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::span<const LabelId> truth = rows.labels[row];
    labeled += static_cast<std::size_t>(!truth.empty());
    hits += static_cast<std::size_t>(
        choices[row].label && std::binary_search(truth.begin(), truth.end(), *choices[row].label));
  }
  accuracy.first_label = 100 * share_of(hits, labeled);
  if (!member.predicts_sets()) return accuracy;
  const LabelSpace space = heads::product_space(member.parts().head);
  std::size_t right = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    right += static_cast<std::size_t>(is_set(space, choices[row].heads, rows.labels[row]));
  }
  accuracy.set_accuracy = 100 * share_of(right, rows.rows());
  return accuracy;
}

HeadConfusion confuse_heads(const Context& context, const TrainedCascade& member,
                            const Examples& validation, const LabelNames& names,
                            std::span<const std::uint32_t> counts, std::size_t max_groups) {
  const Taken taken = count_taken(context, member, validation);
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

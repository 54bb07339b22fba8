// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/linear_member.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/checked.h"
#include "model/mean_scores.h"

namespace mhe::model {
namespace {

constexpr std::uint32_t kNoLabel = std::numeric_limits<std::uint32_t>::max();

std::string cascade_prefix(const std::string& prefix, std::size_t cascade) {
  return fmt::format("{}member{}.", prefix, cascade);
}

std::string level_prefix(const std::string& cascade, std::size_t level) {
  return fmt::format("{}level{}.", cascade, level);
}

void write_cascade(ModelFileWriter& writer, const std::string& prefix, const Cascade& cascade) {
  const std::vector<std::uint32_t> lengths = cascade.lengths();
  writer.add_tensor<std::uint32_t>(prefix + "label_at", {cascade.label_at.size()},
                                   cascade.label_at);
  writer.add_copy<std::uint32_t>(prefix + "lengths", {lengths.size()}, lengths);
  for (std::size_t h = 0; h < cascade.levels.size(); ++h) {
    const std::string name = level_prefix(prefix, h);
    const heads::SparseLevelView& level = cascade.levels[h];
    writer.add_tensor<std::uint32_t>(name + "posting_begin", {level.records.posting_begin.size()},
                                     level.records.posting_begin);
    writer.add_tensor<std::uint8_t>(name + "stream", {level.records.stream.size()},
                                    level.records.stream);
    writer.add_tensor<float>(name + "bias", {level.present.size(), level.shape.block_width},
                             level.bias);
    writer.add_tensor<std::uint64_t>(name + "present", {level.present.size()}, level.present);
  }
}

// The arrays of an index, each with its name.
template <class View, class Visit>
void visit_arrays(View& index, const Visit& visit) {
  visit("neighbours.features", index.features);
  visit("neighbours.stems", index.stems);
  visit("neighbours.posting_begin", index.posting_begin);
  visit("neighbours.rows", index.rows);
  visit("neighbours.row_scale", index.row_scale);
  visit("neighbours.label_begin", index.label_begin);
  visit("neighbours.labels", index.labels);
}

// What score_blocks() relies on; it takes the arrays' contents as they come.
void check_level(const MembersPlace& place, const heads::SparseLevelView& level) {
  const std::size_t num_blocks = level.shape.num_blocks();
  const bool sound =
      level.records.posting_begin.size() == place.num_features + 1 &&
      level.records.stream.size() >= kernels::kRecordReach && level.present.size() == num_blocks &&
      level.bias.size() == checked_mul(num_blocks, level.shape.block_width, "nodes of a level");
  if (!sound) fail_file(place.file.path(), "the arrays of a level differ in size");
}

Cascade open_cascade(const MembersPlace& place, std::size_t index) {
  const ModelFile& file = place.file;
  const std::string prefix = cascade_prefix(place.prefix, index);
  Cascade cascade;
  cascade.label_at = file.tensor<std::uint32_t>(prefix + "label_at");
  const auto lengths = file.tensor<std::uint32_t>(prefix + "lengths");
  std::uint64_t num_nodes = 1;
  for (std::size_t h = 0; h < lengths.size(); ++h) {
    if (lengths[h] == 0) fail_file(file.path(), "a head of length 0");
    const std::string name = level_prefix(prefix, h);
    heads::SparseLevelView level;
    level.shape = heads::LevelShape::of(num_nodes, lengths[h]);
    num_nodes = checked_mul<std::uint64_t>(num_nodes, lengths[h], "nodes of the tree");
    level.records.posting_begin = file.tensor<std::uint32_t>(name + "posting_begin");
    level.records.stream = file.tensor<std::uint8_t>(name + "stream");
    level.records.num_groups = level.shape.mask_bytes();
    level.records.num_blocks = level.shape.num_blocks();
    level.bias = file.tensor<float>(name + "bias");
    level.present = file.tensor<std::uint64_t>(name + "present");
    check_level(place, level);
    cascade.levels.push_back(level);
  }
  if (lengths.empty() || num_nodes != cascade.label_at.size()) {
    fail_file(file.path(), "head lengths and positions do not agree");
  }
  return cascade;
}

heads::BeamOptions search_from(const MembersPlace& place, const nlohmann::json& card) {
  heads::BeamOptions search;
  card.at("beam").get_to(search.beam);
  card.at("parent_power").get_to(search.parent_power);
  if (search.beam == 0) fail_file(place.file.path(), "a beam of 0");
  if (!(search.parent_power >= 0 && search.parent_power <= 100)) {
    fail_file(place.file.path(), "a parent_power of {}", search.parent_power);
  }
  return search;
}

heads::NeighbourMember open_neighbours(const MembersPlace& place, const nlohmann::json& card) {
  heads::NeighbourMember neighbours;
  if (!card.contains("neighbours")) return neighbours;  // the oldest files do not name them
  card.at("neighbours").at("weight").get_to(neighbours.weight);
  if (!(neighbours.weight > 0 && neighbours.weight <= 1)) {
    fail_file(place.file.path(), "neighbours of weight {}", neighbours.weight);
  }
  visit_arrays(neighbours.index, [&](const char* name, auto& values) {
    using Value = typename std::remove_reference_t<decltype(values)>::value_type;
    values = place.file.tensor<Value>(place.prefix + name);
  });
  if (!neighbours.index.is_sound()) {
    fail_file(place.file.path(), "the arrays of the neighbours differ in size");
  }
  return neighbours;
}

// Searches the cascades of a linear member and its neighbours side by side. A label's score is the
// mean of the cascades' scores, mixed with the share of the neighbours as their weight says. A
// label that a cascade does not rank among its best counts as 0 there.
class LinearSearch final : public MemberSearch {
 public:
  LinearSearch(const LinearMember& member, std::size_t num_labels)
      : cascades_(member.cascades()), neighbours_(member.neighbours()), num_labels_(num_labels) {}

  void begin(const InputBatch& rows) override { rows_ = std::get<SparseRows>(rows).rows; }
  void search(std::size_t row, const SearchDepth& depth, std::vector<ScoredLabel>& found) override;

  // Of the first cascade.
  [[nodiscard]] std::span<const std::uint32_t> best_choices() const override { return best_nodes_; }

 private:
  void search_cascades(const SparseRow& query, const SearchDepth& depth);
  void add_neighbours(const SparseRow& query);

  std::span<const Cascade> cascades_;
  heads::NeighbourMember neighbours_;
  std::size_t num_labels_;
  std::span<const SparseRow> rows_;
  heads::BeamScratch beam_;
  heads::NeighbourScratch neighbour_rows_;
  std::vector<ScoredLabel> found_;
  std::vector<std::uint32_t> best_nodes_;
};

void LinearSearch::search(std::size_t row, const SearchDepth& depth,
                          std::vector<ScoredLabel>& found) {
  constexpr std::size_t kBesideNeighbours = 50;  // these often know labels that cascades rank low
  const SparseRow& query = rows_[row];
  const std::size_t k = depth.labels;
  found_.clear();
  if (neighbours_.weight == 0) {
    search_cascades(query, {search_depth(cascades_.size(), k), depth.beam});
    if (cascades_.size() > 1) merge_by_label(found_, cascades_.size());
  } else {
    search_cascades(query, {std::max(2 * k + 10, kBesideNeighbours), depth.beam});
    merge_by_label(found_, cascades_.size());
    add_neighbours(query);
  }
  const std::span<const ScoredLabel> best = keep_best(found_, k);
  found.reserve(found.size() + found_.capacity());  // another row may give as many as were there
  found.insert(found.end(), best.begin(), best.end());
}

void LinearSearch::search_cascades(const SparseRow& query, const SearchDepth& depth) {
  for (const Cascade& cascade : cascades_) {
    heads::BeamOptions options = cascade.search;
    if (depth.beam > 0) options.beam = depth.beam;
    heads::search_beam(cascade.levels, query, depth.labels, options, beam_);
    if (&cascade == cascades_.data()) best_nodes_.assign(beam_.best.begin(), beam_.best.end());
    for (const heads::ScoredNode& node : beam_.beam) {
      const std::uint32_t label = cascade.label_at[node.node];
      // A file is mapped, not read, so its labels are looked at when they come up.
      if (label < num_labels_) found_.push_back({LabelId{label}, node.score});
    }
  }
}

// Mixes the neighbours in; what was found, and what they find, ascends by label.
void LinearSearch::add_neighbours(const SparseRow& query) {
  heads::search_neighbours(neighbours_.index, query, neighbour_rows_);
  for (ScoredLabel& label : found_) label.score *= 1 - neighbours_.weight;
  const std::size_t cascades = found_.size();
  std::size_t next = 0;
  for (const ScoredLabel& near : neighbour_rows_.labels) {
    if (index_of(near.label) >= num_labels_) continue;
    while (next < cascades && found_[next].label < near.label) ++next;
    const float score = neighbours_.weight * near.score;
    if (next < cascades && found_[next].label == near.label) {
      found_[next].score += score;
    } else {
      found_.push_back({near.label, score});
    }
  }
}

}  // namespace

std::vector<std::uint32_t> Cascade::lengths() const {
  std::vector<std::uint32_t> lengths;
  for (const heads::SparseLevelView& level : levels) {
    lengths.push_back(static_cast<std::uint32_t>(level.shape.children_per_parent));
  }
  return lengths;
}

std::vector<std::uint32_t> labels_by_position(const LabelOrder& order) {
  std::vector<std::uint32_t> label_at(order.space().capacity().value(), kNoLabel);
  for (std::size_t label = 0; label < order.num_labels(); ++label) {
    label_at[order.positions()[label]] = static_cast<std::uint32_t>(label);
  }
  return label_at;
}

LinearMember::LinearMember(std::vector<Cascade> cascades, heads::NeighbourMember neighbours)
    : cascades_(std::move(cascades)), neighbours_(neighbours) {
  MHE_ASSERT(!cascades_.empty());
}

HeadKind LinearMember::head_kind() const noexcept {
  const bool is_tree = std::any_of(cascades_.begin(), cascades_.end(),
                                   [](const Cascade& c) { return c.levels.size() > 1; });
  return is_tree ? HeadKind::kCascade : HeadKind::kOneHot;
}

std::unique_ptr<MemberSearch> LinearMember::make_search(std::size_t num_labels) const {
  return std::make_unique<LinearSearch>(*this, num_labels);
}

// Of a single level the only head is the whole model, which other figures describe.
std::optional<HeadTargets> LinearMember::head_targets(std::size_t num_labels) const {
  const Cascade& first = cascades_.front();
  if (first.levels.size() < 2) return std::nullopt;
  return HeadTargets(first.lengths(), first.label_at, num_labels);
}

void LinearMember::write(ModelFileWriter& writer, const std::string& prefix, std::size_t index,
                         nlohmann::ordered_json& card) const {
  MHE_ASSERT(index == 0);  // it shares no part
  for (std::size_t i = 0; i < cascades_.size(); ++i) {
    write_cascade(writer, cascade_prefix(prefix, i), cascades_[i]);
    const heads::BeamOptions& search = cascades_[i].search;
    card["members"].push_back({{"beam", search.beam}, {"parent_power", search.parent_power}});
  }
  if (neighbours_.weight == 0) return;
  visit_arrays(neighbours_.index, [&](const char* name, const auto& values) {
    writer.add_tensor(prefix + name, {values.size()}, values);
  });
  card["neighbours"] = {{"weight", neighbours_.weight}};
}

Members open_linear_members(const MembersPlace& place, const nlohmann::json& card) {
  std::vector<Cascade> cascades;
  for (const auto& member : card.at("members")) {
    const heads::BeamOptions search = search_from(place, member);
    cascades.push_back(open_cascade(place, cascades.size()));
    cascades.back().search = search;
  }
  if (cascades.empty()) fail_file(place.file.path(), "a model of no cascade");
  Members members;
  members.push_back(
      std::make_unique<LinearMember>(std::move(cascades), open_neighbours(place, card)));
  return members;
}

}  // namespace mhe::model

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/linear_model.h"

#include <algorithm>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/checked.h"
#include "model/model_file_writer.h"

namespace mhe::model {
namespace {

constexpr std::uint32_t kNoLabel = std::numeric_limits<std::uint32_t>::max();
constexpr std::string_view kKind = "linear";

std::string member_name(std::size_t member, std::string_view part) {
  return fmt::format("member{}.{}", member, part);
}

std::string level_name(std::size_t member, std::size_t level, std::string_view part) {
  return fmt::format("member{}.level{}.{}", member, level, part);
}

void add_member(ModelFileWriter& writer, std::size_t index, const TrainedMember& member,
                const std::vector<std::uint32_t>& label_at) {
  const auto lengths = member.order.space().lengths();
  writer.add_tensor<std::uint32_t>(member_name(index, "label_at"), {label_at.size()}, label_at);
  writer.add_tensor<std::uint32_t>(member_name(index, "lengths"), {lengths.size()}, lengths);
  for (std::size_t h = 0; h < member.levels.size(); ++h) {
    const auto name = [&](std::string_view part) { return level_name(index, h, part); };
    const heads::SparseLevel& level = member.levels[h];
    writer.add_tensor<std::uint32_t>(name("posting_begin"), {level.posting_begin.size()},
                                     level.posting_begin);
    writer.add_tensor<std::uint8_t>(name("stream"), {level.stream.size()}, level.stream);
    writer.add_tensor<float>(name("bias"), {level.present.size(), level.shape.block_width},
                             level.bias);
    writer.add_tensor<std::uint64_t>(name("present"), {level.present.size()}, level.present);
  }
}

void add_neighbours(ModelFileWriter& writer, const heads::NeighbourView& index) {
  const auto add = [&](const char* name, auto values) {
    writer.add_tensor(name, {values.size()}, values);
  };
  add("neighbours.features", index.features);
  add("neighbours.stems", index.stems);
  add("neighbours.posting_begin", index.posting_begin);
  add("neighbours.rows", index.rows);
  add("neighbours.row_scale", index.row_scale);
  add("neighbours.label_begin", index.label_begin);
  add("neighbours.labels", index.labels);
}

}  // namespace

std::vector<std::uint32_t> labels_by_position(const labels::Order& order) {
  std::vector<std::uint32_t> label_at(order.space().capacity().value(), kNoLabel);
  for (std::size_t label = 0; label < order.num_labels(); ++label) {
    label_at[order.positions()[label]] = static_cast<std::uint32_t>(label);
  }
  return label_at;
}

void write_linear(const std::string& path, const TrainedLinear& trained) {
  ModelFileWriter writer(path);
  PartsWriter parts(writer, trained.parts);
  parts.add_labels();
  nlohmann::ordered_json searches = nlohmann::ordered_json::array();
  std::vector<std::vector<std::uint32_t>> label_at;  // the writer refers to them until it commits
  for (const TrainedMember& member : trained.members) {
    label_at.push_back(labels_by_position(member.order));
  }
  for (std::size_t m = 0; m < trained.members.size(); ++m) {
    add_member(writer, m, trained.members[m], label_at[m]);
    const heads::BeamOptions& search = trained.members[m].search;
    searches.push_back({{"beam", search.beam}, {"parent_power", search.parent_power}});
  }
  nlohmann::ordered_json card = {{"members", searches}};
  if (trained.neighbour_weight > 0) {
    add_neighbours(writer, trained.neighbours->view());
    card["neighbours"] = {{"weight", trained.neighbour_weight}};
  }
  parts.finish(kKind, card);
  writer.commit();
}

LinearModel LinearModel::open(const std::string& path) {
  return LinearModel(ModelFile::open(path));
}

LinearModel::LinearModel(ModelFile file) : Model(std::move(file), kKind) {
  load_searches();
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const heads::BeamOptions search = members_[m].search;
    members_[m] = load_member(m);
    members_[m].search = search;
  }
  if (neighbours_.weight > 0) load_neighbours();
}

HeadKind LinearModel::head_kind() const noexcept {
  const bool is_tree =
      std::any_of(members_.begin(), members_.end(),
                  [](const LinearMember& member) { return member.levels.size() > 1; });
  return is_tree ? HeadKind::kCascade : HeadKind::kOneHot;
}

void LinearModel::load_searches() {
  const std::string& path = file().path();
  const nlohmann::json card = this->card();
  try {
    for (const auto& member : card.at("members")) {
      heads::BeamOptions& search = members_.emplace_back().search;
      member.at("beam").get_to(search.beam);
      member.at("parent_power").get_to(search.parent_power);
      if (search.beam == 0) fail(ErrorCode::kInvalidData, "{}: a beam of 0", path);
      if (!(search.parent_power >= 0 && search.parent_power <= 100)) {
        fail(ErrorCode::kInvalidData, "{}: a parent_power of {}", path, search.parent_power);
      }
    }
    // Files of before there were neighbours do not name them.
    if (card.contains("neighbours")) {
      card.at("neighbours").at("weight").get_to(neighbours_.weight);
      if (!(neighbours_.weight > 0 && neighbours_.weight <= 1)) {
        fail(ErrorCode::kInvalidData, "{}: neighbours of weight {}", path, neighbours_.weight);
      }
    }
  } catch (const nlohmann::json::exception& error) {
    refuse_card(error);
  }
  if (members_.empty()) fail(ErrorCode::kInvalidData, "{}: a model of no cascade", path);
}

void LinearModel::load_neighbours() {
  heads::NeighbourView& index = neighbours_.index;
  index.features = file().tensor<std::uint32_t>("neighbours.features");
  index.stems = file().tensor<std::uint32_t>("neighbours.stems");
  index.posting_begin = file().tensor<std::uint64_t>("neighbours.posting_begin");
  index.rows = file().tensor<std::uint32_t>("neighbours.rows");
  index.row_scale = file().tensor<float>("neighbours.row_scale");
  index.label_begin = file().tensor<std::uint64_t>("neighbours.label_begin");
  index.labels = file().tensor<std::uint32_t>("neighbours.labels");
  if (!index.is_sound()) {
    fail(ErrorCode::kInvalidData, "{}: the arrays of the neighbours differ in size", file().path());
  }
}

LinearMember LinearModel::load_member(std::size_t index) const {
  LinearMember member;
  member.label_at = file().tensor<std::uint32_t>(member_name(index, "label_at"));
  const auto lengths = file().tensor<std::uint32_t>(member_name(index, "lengths"));
  std::uint64_t num_nodes = 1;
  for (std::size_t h = 0; h < lengths.size(); ++h) {
    if (lengths[h] == 0) fail(ErrorCode::kInvalidData, "{}: a head of length 0", file().path());
    const auto name = [&](std::string_view part) { return level_name(index, h, part); };
    heads::SparseLevelView level;
    level.shape = heads::LevelShape::of(num_nodes, lengths[h]);
    num_nodes = checked_mul<std::uint64_t>(num_nodes, lengths[h], "nodes of the tree");
    level.records.posting_begin = file().tensor<std::uint32_t>(name("posting_begin"));
    level.records.stream = file().tensor<std::uint8_t>(name("stream"));
    level.records.num_groups = level.shape.mask_bytes();
    level.records.num_blocks = level.shape.num_blocks();
    level.bias = file().tensor<float>(name("bias"));
    level.present = file().tensor<std::uint64_t>(name("present"));
    check_level(level);
    member.levels.push_back(level);
  }
  if (lengths.empty() || num_nodes != member.label_at.size()) {
    fail(ErrorCode::kInvalidData, "{}: head lengths and positions do not agree", file().path());
  }
  return member;
}

// What score_blocks() relies on; it takes the arrays' contents as they come.
void LinearModel::check_level(const heads::SparseLevelView& level) const {
  const std::size_t num_blocks = level.shape.num_blocks();
  const bool sound =
      level.records.posting_begin.size() == num_features() + 1 &&

      level.records.stream.size() >= kernels::kRecordReach && level.present.size() == num_blocks &&
      level.bias.size() == checked_mul(num_blocks, level.shape.block_width, "nodes of a level");
  if (!sound)
    fail(ErrorCode::kInvalidData, "{}: the arrays of a level differ in size", file().path());
}

}  // namespace mhe::model

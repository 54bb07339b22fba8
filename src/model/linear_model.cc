// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/linear_model.h"

#include <charconv>
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

void add_vectorizer(ModelFileWriter& writer, const text::Vectorizer& vectorizer) {
  const text::VectorizerView& view = vectorizer.view();
  const auto add = [&](const char* name, auto values) {
    writer.add_tensor(name, {values.size()}, values);
  };
  add("text.part_offsets", view.part_offsets);
  add("text.term_begins", view.term_begins);
  add("text.terms", view.terms);
  add("text.document_counts", view.df);
  add("text.idf", view.idf);
  add("text.slots", view.slots);
  writer.set_metadata("text.options", text::options_to_json(vectorizer.options()));
  writer.set_metadata("text.num_documents", std::to_string(view.num_documents));
}

text::Vectorizer open_vectorizer(const ModelFile& file) {
  const std::string& count = file.metadata("text.num_documents");
  text::VectorizerView view;
  const char* const end = count.data() + count.size();
  const auto [stop, status] = std::from_chars(count.data(), end, view.num_documents);
  if (status != std::errc() || stop != end) {
    fail(ErrorCode::kInvalidData, "{}: text.num_documents is no number", file.path());
  }
  view.part_offsets = file.tensor<std::uint64_t>("text.part_offsets");
  view.term_begins = file.tensor<std::uint32_t>("text.term_begins");
  view.terms = file.tensor<char>("text.terms");
  view.df = file.tensor<std::uint32_t>("text.document_counts");
  view.idf = file.tensor<float>("text.idf");
  view.slots = file.tensor<std::uint32_t>("text.slots");
  return {text::options_from_json(file.metadata("text.options")), view};
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
  Strings names;
  for (std::size_t label = trained.names.num_numbered(); label < trained.names.size(); ++label) {
    names.push_row(trained.names.name(LabelId{static_cast<std::uint32_t>(label)}));
  }
  writer.add_strings("labels.names", names);
  writer.add_tensor<std::uint32_t>("labels.counts", {trained.label_counts.size()},
                                   trained.label_counts);
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
  const metrics::Calibration& calibration = trained.calibration;
  writer.add_tensor<float>("calibration.scores", {calibration.scores().size()},
                           calibration.scores());
  writer.add_tensor<float>("calibration.probabilities", {calibration.probabilities().size()},
                           calibration.probabilities());
  if (trained.vectorizer != nullptr) add_vectorizer(writer, *trained.vectorizer);
  nlohmann::ordered_json card = {
      {"kind", kKind},
      {"num_labels", trained.names.size()},
      {"num_numbered_labels", trained.names.num_numbered()},
      {"num_features", trained.num_features},
      {"training_rows", trained.training_rows},
      {"members", searches},
  };
  if (trained.neighbour_weight > 0) {
    add_neighbours(writer, trained.neighbours->view());
    card["neighbours"] = {{"weight", trained.neighbour_weight}};
  }
  writer.set_metadata("model", card.dump());
  writer.set_metadata("options", trained.options_json);
  writer.commit();
}

LinearModel LinearModel::open(const std::string& path) {
  return LinearModel(ModelFile::open(path));
}

LinearModel::LinearModel(ModelFile file) : file_(std::move(file)) {
  load_card();
  load_labels();
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const heads::BeamOptions search = members_[m].search;
    members_[m] = load_member(m);
    members_[m].search = search;
  }
  load_calibration();
  if (neighbours_.weight > 0) load_neighbours();
  if (file_.find_metadata("text.options") != nullptr) vectorizer_ = open_vectorizer(file_);
  if (vectorizer_ && vectorizer_->num_features() != num_features_) {
    fail(ErrorCode::kInvalidData, "{}: a vocabulary of {} terms for {} features", file_.path(),
         vectorizer_->num_features(), num_features_);
  }
}

void LinearModel::load_card() {
  const auto card = nlohmann::json::parse(file_.metadata("model"), nullptr, false);
  try {
    if (card.at("kind") != kKind) {
      fail(ErrorCode::kInvalidData, "{}: a model of kind {}; expected {}", file_.path(),
           card.at("kind").dump(), kKind);
    }
    card.at("num_labels").get_to(num_labels_);
    card.at("num_numbered_labels").get_to(num_numbered_);
    card.at("num_features").get_to(num_features_);
    card.at("training_rows").get_to(training_rows_);
    for (const auto& member : card.at("members")) {
      heads::BeamOptions& search = members_.emplace_back().search;
      member.at("beam").get_to(search.beam);
      member.at("parent_power").get_to(search.parent_power);
      if (search.beam == 0) fail(ErrorCode::kInvalidData, "{}: a beam of 0", file_.path());
      if (!(search.parent_power >= 0 && search.parent_power <= 100)) {
        fail(ErrorCode::kInvalidData, "{}: a parent_power of {}", file_.path(),
             search.parent_power);
      }
    }
    // Files of before there were neighbours do not name them.
    if (card.contains("neighbours")) {
      card.at("neighbours").at("weight").get_to(neighbours_.weight);
      if (!(neighbours_.weight > 0 && neighbours_.weight <= 1)) {
        fail(ErrorCode::kInvalidData, "{}: neighbours of weight {}", file_.path(),
             neighbours_.weight);
      }
    }
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorCode::kInvalidData, "{}: the model card is damaged: {}", file_.path(), error.what());
  }
  if (members_.empty()) fail(ErrorCode::kInvalidData, "{}: a model of no cascade", file_.path());
}

void LinearModel::load_labels() {
  names_ = file_.strings("labels.names");
  label_counts_ = file_.tensor<std::uint32_t>("labels.counts");
  if (num_numbered_ > num_labels_ || num_labels_ - num_numbered_ != names_.size() ||
      label_counts_.size() != num_labels_) {
    fail(ErrorCode::kInvalidData, "{}: label names and counts do not agree", file_.path());
  }
}

void LinearModel::load_calibration() {
  const auto scores = file_.tensor<float>("calibration.scores");
  const auto probabilities = file_.tensor<float>("calibration.probabilities");
  calibration_ = metrics::Calibration({scores.begin(), scores.end()},
                                      {probabilities.begin(), probabilities.end()});
}

void LinearModel::load_neighbours() {
  heads::NeighbourView& index = neighbours_.index;
  index.features = file_.tensor<std::uint32_t>("neighbours.features");
  index.stems = file_.tensor<std::uint32_t>("neighbours.stems");
  index.posting_begin = file_.tensor<std::uint64_t>("neighbours.posting_begin");
  index.rows = file_.tensor<std::uint32_t>("neighbours.rows");
  index.row_scale = file_.tensor<float>("neighbours.row_scale");
  index.label_begin = file_.tensor<std::uint64_t>("neighbours.label_begin");
  index.labels = file_.tensor<std::uint32_t>("neighbours.labels");
  if (!index.is_sound()) {
    fail(ErrorCode::kInvalidData, "{}: the arrays of the neighbours differ in size", file_.path());
  }
}

LinearMember LinearModel::load_member(std::size_t index) const {
  LinearMember member;
  member.label_at = file_.tensor<std::uint32_t>(member_name(index, "label_at"));
  const auto lengths = file_.tensor<std::uint32_t>(member_name(index, "lengths"));
  std::uint64_t num_nodes = 1;
  for (std::size_t h = 0; h < lengths.size(); ++h) {
    if (lengths[h] == 0) fail(ErrorCode::kInvalidData, "{}: a head of length 0", file_.path());
    const auto name = [&](std::string_view part) { return level_name(index, h, part); };
    heads::SparseLevelView level;
    level.shape = heads::LevelShape::of(num_nodes, lengths[h]);
    num_nodes = checked_mul<std::uint64_t>(num_nodes, lengths[h], "nodes of the tree");
    level.records.posting_begin = file_.tensor<std::uint32_t>(name("posting_begin"));
    level.records.stream = file_.tensor<std::uint8_t>(name("stream"));
    level.records.num_groups = level.shape.mask_bytes();
    level.records.num_blocks = level.shape.num_blocks();
    level.bias = file_.tensor<float>(name("bias"));
    level.present = file_.tensor<std::uint64_t>(name("present"));
    check_level(level);
    member.levels.push_back(level);
  }
  if (lengths.empty() || num_nodes != member.label_at.size()) {
    fail(ErrorCode::kInvalidData, "{}: head lengths and positions do not agree", file_.path());
  }
  return member;
}

// What score_blocks() relies on; it takes the arrays' contents as they come.
void LinearModel::check_level(const heads::SparseLevelView& level) const {
  const std::size_t num_blocks = level.shape.num_blocks();
  const bool sound =
      level.records.posting_begin.size() == num_features_ + 1 &&

      level.records.stream.size() >= kernels::kRecordReach && level.present.size() == num_blocks &&
      level.bias.size() == checked_mul(num_blocks, level.shape.block_width, "nodes of a level");
  if (!sound)
    fail(ErrorCode::kInvalidData, "{}: the arrays of a level differ in size", file_.path());
}

std::string LinearModel::label_name(LabelId label) const {
  const std::size_t index = index_of(label);
  require(index < num_labels_, "label {} does not exist; there are {}", index, num_labels_);
  if (index < num_numbered_) return fmt::format("{}", index);
  return std::string(names_[index - num_numbered_]);
}

labels::LabelNames LinearModel::label_names() const {
  labels::LabelNames names = labels::LabelNames::numbered(num_numbered_);
  for (std::size_t i = 0; i < names_.size(); ++i) names.intern(names_[i]);
  return names;
}

}  // namespace mhe::model

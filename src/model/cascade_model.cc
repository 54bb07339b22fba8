// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/cascade_model.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/checked.h"
#include "model/model_file_writer.h"

namespace mhe::model {
namespace {

constexpr std::uint32_t kNoLabel = std::numeric_limits<std::uint32_t>::max();
constexpr std::string_view kKind = "linear-cascade";

std::string level_name(std::size_t level, std::string_view part) {
  return fmt::format("level{}.{}", level, part);
}

// Every position of the tree, whether it has a label or not.
std::vector<std::uint32_t> labels_by_position(const labels::Order& order) {
  std::vector<std::uint32_t> label_at(order.space().capacity().value(), kNoLabel);
  for (std::size_t label = 0; label < order.num_labels(); ++label) {
    label_at[order.positions()[label]] = static_cast<std::uint32_t>(label);
  }
  return label_at;
}

void add_level(ModelFileWriter& writer, std::size_t index, const heads::SparseLevel& level) {
  const auto name = [&](std::string_view part) { return level_name(index, part); };
  writer.add_tensor<std::uint32_t>(name("word_begin"), {level.word_begin.size()}, level.word_begin);
  const std::span<const heads::BlockWord> words = level.words;
  writer.add_tensor(name("words"), Dtype::kU64, {words.size(), 2}, std::as_bytes(words));
  writer.add_tensor<std::uint32_t>(name("record_begin"), {level.record_begin.size()},
                                   level.record_begin);
  writer.add_tensor<std::uint8_t>(name("stream"), {level.stream.size()}, level.stream);
  writer.add_tensor<float>(name("bias"), {level.present.size(), level.shape.block_width},
                           level.bias);
  writer.add_tensor<std::uint64_t>(name("present"), {level.present.size()}, level.present);
}

}  // namespace

void write_cascade(const std::string& path, const TrainedCascade& trained) {
  ModelFileWriter writer(path);
  Strings names;
  for (std::size_t label = trained.names.num_numbered(); label < trained.names.size(); ++label) {
    names.push_row(trained.names.name(LabelId{static_cast<std::uint32_t>(label)}));
  }
  const std::vector<std::uint32_t> label_at = labels_by_position(trained.order);
  const auto lengths = trained.order.space().lengths();
  writer.add_strings("labels.names", names);
  writer.add_tensor<std::uint32_t>("labels.at_position", {label_at.size()}, label_at);
  writer.add_tensor<std::uint32_t>("labels.lengths", {lengths.size()}, lengths);
  for (std::size_t h = 0; h < trained.levels.size(); ++h) add_level(writer, h, trained.levels[h]);
  std::string vectorizer;
  if (trained.vectorizer != nullptr) {
    vectorizer = trained.vectorizer->write();
    writer.add_tensor<char>("text.vectorizer", {vectorizer.size()}, vectorizer);
  }
  const nlohmann::ordered_json card = {
      {"kind", kKind},
      {"num_labels", trained.order.num_labels()},
      {"num_numbered_labels", trained.names.num_numbered()},
      {"num_features", trained.num_features},
      {"beam", trained.search.beam},
      {"parent_power", trained.search.parent_power},
  };
  writer.set_metadata("model", card.dump());
  writer.set_metadata("options", trained.options_json);
  writer.commit();
}

CascadeModel CascadeModel::open(const std::string& path) {
  return CascadeModel(ModelFile::open(path));
}

CascadeModel::CascadeModel(ModelFile file) : file_(std::move(file)) {
  const auto card = nlohmann::json::parse(file_.metadata("model"), nullptr, false);
  try {
    if (card.at("kind") != kKind) {
      fail(ErrorCode::kInvalidData, "{}: a model of kind {}; expected {}", file_.path(),
           card.at("kind").dump(), kKind);
    }
    card.at("num_labels").get_to(num_labels_);
    card.at("num_numbered_labels").get_to(num_numbered_);
    card.at("num_features").get_to(num_features_);
    card.at("beam").get_to(search_.beam);
    card.at("parent_power").get_to(search_.parent_power);
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorCode::kInvalidData, "{}: the model card is damaged: {}", file_.path(), error.what());
  }
  load_labels();
  load_levels();
  if (file_.has_tensor("text.vectorizer")) {
    const auto bytes = file_.tensor<char>("text.vectorizer");
    vectorizer_ = text::Vectorizer::read({bytes.data(), bytes.size()});
  }
}

void CascadeModel::load_labels() {
  names_ = file_.strings("labels.names");
  label_at_ = file_.tensor<std::uint32_t>("labels.at_position");
  const bool counts_agree =
      num_numbered_ <= num_labels_ && num_labels_ - num_numbered_ <= names_.size();
  const bool labels_exist =
      std::all_of(label_at_.begin(), label_at_.end(),
                  [&](std::uint32_t label) { return label == kNoLabel || label < num_labels_; });
  if (!counts_agree || !labels_exist) {
    fail(ErrorCode::kInvalidData, "{}: label names, positions and counts do not agree",
         file_.path());
  }
}

void CascadeModel::load_levels() {
  const auto lengths = file_.tensor<std::uint32_t>("labels.lengths");
  std::uint64_t num_nodes = 1;
  for (std::size_t h = 0; h < lengths.size(); ++h) {
    if (lengths[h] == 0) fail(ErrorCode::kInvalidData, "{}: a head of length 0", file_.path());
    heads::SparseLevelView level;
    level.shape = heads::LevelShape::of(num_nodes, lengths[h]);
    num_nodes = checked_mul<std::uint64_t>(num_nodes, lengths[h], "nodes of the tree");
    level.word_begin = file_.tensor<std::uint32_t>(level_name(h, "word_begin"));
    const auto words = file_.tensor<std::uint64_t>(level_name(h, "words"));
    level.words = {reinterpret_cast<const heads::BlockWord*>(words.data()), words.size() / 2};
    level.record_begin = file_.tensor<std::uint32_t>(level_name(h, "record_begin"));
    level.stream = file_.tensor<std::uint8_t>(level_name(h, "stream"));
    level.bias = file_.tensor<float>(level_name(h, "bias"));
    level.present = file_.tensor<std::uint64_t>(level_name(h, "present"));
    check_level(level);
    levels_.push_back(level);
  }
  if (levels_.empty() || num_nodes != label_at_.size() || search_.beam == 0) {
    fail(ErrorCode::kInvalidData, "{}: head lengths, positions and beam do not agree",
         file_.path());
  }
  check_present();
}

// What score_blocks() relies on. Everything it reads is bounded here once, so that searching needs
// no checks.
void CascadeModel::check_level(const heads::SparseLevelView& level) const {
  const std::size_t num_blocks = level.shape.num_blocks();
  bool sound = level.word_begin.size() == num_features_ + 1 && level.word_begin.front() == 0 &&
               level.word_begin.back() == level.words.size() &&
               std::is_sorted(level.word_begin.begin(), level.word_begin.end()) &&
               level.present.size() == num_blocks &&
               level.bias.size() == num_blocks * level.shape.block_width;
  std::uint64_t records = 0;
  for (const heads::BlockWord& word : level.words) {
    sound = sound && word.first_record == records;
    records += static_cast<std::uint64_t>(std::popcount(word.bits));
  }
  sound = sound && records == level.record_begin.size();
  const std::size_t mask_bytes = level.shape.mask_bytes();
  const std::uint64_t all_children = ~std::uint64_t{0} >> (64 - level.shape.block_width);
  std::uint64_t at = 0;  // records lie end to end
  for (const std::uint32_t begin : level.record_begin) {
    sound = sound && begin == at && at + mask_bytes <= level.stream.size();
    if (!sound) break;
    std::uint64_t mask = 0;
    std::memcpy(&mask, level.stream.data() + at, mask_bytes);
    sound = (mask & ~all_children) == 0;
    at += mask_bytes + 2 * static_cast<std::uint64_t>(std::popcount(mask));
  }
  if (!sound || at != level.stream.size()) {
    fail(ErrorCode::kInvalidData, "{}: the weights of a level are damaged", file_.path());
  }
}

// Only positions that hold a label may be reached.
void CascadeModel::check_present() const {
  const heads::SparseLevelView& last = levels_.back();
  const heads::LevelShape& shape = last.shape;
  for (std::size_t block = 0; block < shape.num_blocks(); ++block) {
    const heads::ChildRange range = shape.children_of_block(block);
    const std::size_t first = block / shape.blocks_per_parent * shape.children_per_parent;
    for (std::uint64_t rest = last.present[block]; rest != 0; rest &= rest - 1) {
      const auto child = range.begin + static_cast<std::uint32_t>(std::countr_zero(rest));
      if (child >= range.end || label_at_[first + child] == kNoLabel) {
        fail(ErrorCode::kInvalidData, "{}: a node without a label can be predicted", file_.path());
      }
    }
  }
}

std::string CascadeModel::label_name(LabelId label) const {
  const std::size_t index = index_of(label);
  require(index < num_labels_, "label {} does not exist; there are {}", index, num_labels_);
  if (index < num_numbered_) return fmt::format("{}", index);
  return std::string(names_[index - num_numbered_]);
}

labels::LabelNames CascadeModel::label_names() const {
  labels::LabelNames names = labels::LabelNames::numbered(num_numbered_);
  for (std::size_t i = 0; i < names_.size(); ++i) names.intern(names_[i]);
  return names;
}

}  // namespace mhe::model

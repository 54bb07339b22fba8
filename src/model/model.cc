// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "model/layout_json.h"

namespace mhe::model {
namespace {

constexpr const char* kFeatureWeights = "features.weights";
constexpr const char* kLayout = "data";  // metadata

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
    fail_file(file.path(), "text.num_documents is not a number");
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

void write_model(const std::string& path, const TrainedParts& parts) {
  ModelFileWriter writer(path);
  Strings names;
  for (std::size_t label = parts.names.num_numbered(); label < parts.names.size(); ++label) {
    names.push_row(parts.names.name(LabelId{static_cast<std::uint32_t>(label)}));
  }
  writer.add_strings("labels.names", names);
  writer.add_tensor("labels.counts", {parts.label_counts.size()}, parts.label_counts);
  const nlohmann::ordered_json members = write_members(writer, parts.members);
  const metrics::Calibration& calibration = parts.calibration.curve();
  writer.add_tensor<float>("calibration.scores", {calibration.scores().size()},
                           calibration.scores());
  writer.add_tensor<float>("calibration.probabilities", {calibration.probabilities().size()},
                           calibration.probabilities());
  const std::span<const float> weights = parts.feature_weights.columns;
  if (!weights.empty()) writer.add_tensor(kFeatureWeights, {weights.size()}, weights);
  if (parts.vectorizer != nullptr) add_vectorizer(writer, *parts.vectorizer);
  nlohmann::ordered_json card = {
      {"kind", members.at("kind")},
      {"num_labels", parts.names.size()},
      {"num_numbered_labels", parts.names.num_numbered()},
      {"num_features", parts.num_features},
      {"training_rows", parts.training_rows},
  };
  if (!parts.feature_weights.change_nothing()) {
    card["feature_weights"] = {{"roots", parts.feature_weights.roots}};
  }
  if (parts.calibration.is_for_one_label()) {
    nlohmann::ordered_json& one_label = card["one_label"] = nlohmann::ordered_json::object();
    if (const auto& share = parts.calibration.share()) {
      one_label = {{"exponent", share->exponent}, {"rest", share->rest}};
    }
  }
  card.update(members);
  writer.set_metadata("model", card.dump());
  writer.set_metadata("options", parts.options_json);
  if (!parts.command_json.empty()) writer.set_metadata("command", parts.command_json);
  if (parts.layout.format != Format::kAuto) {
    writer.set_metadata(kLayout, layout_to_json(parts.layout));
  }
  writer.commit();
}

std::unique_ptr<const Model> Model::open(const std::string& path) {
  return std::make_unique<const Model>(ModelFile::open(path));
}

Model::Model(ModelFile file) : file_(std::move(file)) {
  const auto card = nlohmann::json::parse(file_.metadata("model"), nullptr, false);
  if (!card.is_object()) fail_file(file_.path(), "the model card is no JSON object");
  try {
    load_card(card);
    load_labels();
    load_calibration(card);
    load_vectorizer();
    load_feature_weights(card);
    load_members(card);
    if (const std::string* layout = file_.find_metadata(kLayout)) {
      layout_ = layout_from_json(*layout, file_.path());
    }
  } catch (const nlohmann::json::exception& error) {
    fail_file(file_.path(), "the model card is damaged: {}", error.what());
  }
}

void Model::load_card(const nlohmann::json& card) {
  card.at("num_labels").get_to(num_labels_);
  card.at("num_numbered_labels").get_to(num_numbered_);
  card.at("num_features").get_to(num_features_);
  card.at("training_rows").get_to(training_rows_);
}

void Model::load_members(const nlohmann::json& card) {
  members_ =
      open_members(card.at("kind").get<std::string>(),
                   {.file = file_, .num_labels = num_labels_, .num_features = num_features_}, card);
  for (const auto& member : members_) member_span_.push_back(member.get());
  const InputKind kind = members_.front()->input_kind();
  for (const Member* const member : member_span_) {
    if (member->input_kind() != kind) {
      fail_file(file_.path(), "encoder, head and labels do not fit each other");
    }
  }
  if (!vectorizer_) {
    input_kind_ = kind;
  } else if (kind != InputKind::kSparse) {
    fail_file(file_.path(), "text for an encoder of {}", kind_name(kind));
  }
}

void Model::load_labels() {
  names_ = file_.strings("labels.names");
  label_counts_ = file_.tensor<std::uint32_t>("labels.counts");
  if (num_numbered_ > num_labels_ || num_labels_ - num_numbered_ != names_.size() ||
      label_counts_.size() != num_labels_) {
    fail_file(file_.path(), "label names and counts do not agree");
  }
}

void Model::load_calibration(const nlohmann::json& card) {
  const auto scores = file_.tensor<float>("calibration.scores");
  const auto probabilities = file_.tensor<float>("calibration.probabilities");
  metrics::Calibration curve({scores.begin(), scores.end()},
                             {probabilities.begin(), probabilities.end()});
  if (!card.contains("one_label")) {
    calibration_ = metrics::RowCalibration(std::move(curve));
    return;
  }
  const nlohmann::json& one_label = card.at("one_label");
  std::optional<metrics::ScoreShare> share;
  if (one_label.contains("exponent")) {
    share = {one_label.at("exponent").get<double>(), one_label.at("rest").get<double>()};
  }
  calibration_ = metrics::RowCalibration::for_one_label(std::move(curve), share);
}

void Model::load_vectorizer() {
  if (file_.find_metadata("text.options") == nullptr) return;
  vectorizer_ = open_vectorizer(file_);
  input_kind_ = InputKind::kText;
  if (vectorizer_->num_features() != num_features_) {
    fail_file(file_.path(), "a vocabulary of {} terms for {} features", vectorizer_->num_features(),
              num_features_);
  }
}

void Model::load_feature_weights(const nlohmann::json& card) {
  if (!card.contains("feature_weights")) return;  // the oldest files have none
  card.at("feature_weights").at("roots").get_to(feature_weights_.roots);
  feature_weights_.columns = file_.tensor<float>(kFeatureWeights);
  if (feature_weights_.columns.size() != num_features_ || num_features_ == 0) {
    fail_file(file_.path(), "{} weights of {} features", feature_weights_.columns.size(),
              num_features_);
  }
}

std::string Model::label_name(LabelId label) const {
  const std::size_t index = index_of(label);
  require(index < num_labels_, "label {} does not exist; there are {}", index, num_labels_);
  if (index < num_numbered_) return fmt::format("{}", index);
  return std::string(names_[index - num_numbered_]);
}

const LabelNames& Model::label_names() const {
  std::call_once(dictionary_made_, [&] {
    dictionary_ = LabelNames::numbered(num_numbered_);
    for (std::size_t i = 0; i < names_.size(); ++i) dictionary_.intern(names_[i]);
  });
  return dictionary_;
}

std::vector<std::string> Model::text_fields() const {
  std::vector<std::string> names;
  if (!vectorizer_) return names;
  for (const FieldOptions& field : vectorizer_->options().fields) names.push_back(field.name);
  return names;
}

HeadKind Model::head_kind() const noexcept {
  for (const Member* const member : member_span_) {
    if (member->head_kind() == HeadKind::kCascade) return HeadKind::kCascade;
  }
  return member_span_.front()->head_kind();
}

bool Model::predicts_sets() const noexcept {
  return std::all_of(member_span_.begin(), member_span_.end(),
                     [](const Member* member) { return member->predicts_sets(); });
}

}  // namespace mhe::model

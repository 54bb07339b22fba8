// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "model/learned_model.h"
#include "model/linear_model.h"

namespace mhe::model {
namespace {

constexpr const char* kFeatureWeights = "features.weights";

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

PartsWriter::PartsWriter(ModelFileWriter& writer, const TrainedParts& parts)
    : writer_(writer), parts_(parts) {
  for (std::size_t label = parts.names.num_numbered(); label < parts.names.size(); ++label) {
    names_.push_row(parts.names.name(LabelId{static_cast<std::uint32_t>(label)}));
  }
}

void PartsWriter::add_labels() {
  writer_.add_strings("labels.names", names_);
  writer_.add_tensor<std::uint32_t>("labels.counts", {parts_.label_counts.size()},
                                    parts_.label_counts);
}

void PartsWriter::finish(std::string_view kind, const nlohmann::ordered_json& card) {
  const metrics::Calibration& calibration = parts_.calibration;
  writer_.add_tensor<float>("calibration.scores", {calibration.scores().size()},
                            calibration.scores());
  writer_.add_tensor<float>("calibration.probabilities", {calibration.probabilities().size()},
                            calibration.probabilities());
  const std::span<const float> weights = parts_.feature_weights.columns;
  if (!weights.empty()) writer_.add_tensor<float>(kFeatureWeights, {weights.size()}, weights);
  if (parts_.vectorizer != nullptr) add_vectorizer(writer_, *parts_.vectorizer);
  nlohmann::ordered_json whole = {
      {"kind", kind},
      {"num_labels", parts_.names.size()},
      {"num_numbered_labels", parts_.names.num_numbered()},
      {"num_features", parts_.num_features},
      {"training_rows", parts_.training_rows},
  };
  if (!parts_.feature_weights.change_nothing()) {
    whole["feature_weights"] = {{"roots", parts_.feature_weights.roots}};
  }
  whole.update(card);
  writer_.set_metadata("model", whole.dump());
  writer_.set_metadata("options", parts_.options_json);
}

std::unique_ptr<const Model> Model::open(const std::string& path) {
  return make(ModelFile::open(path));
}

std::unique_ptr<const Model> Model::make(ModelFile file) {
  const auto card = nlohmann::json::parse(file.metadata("model"), nullptr, false);
  if (card.is_object() && card.value("kind", nlohmann::json()) == kLearnedKind) {
    return std::make_unique<const LearnedModel>(std::move(file));
  }
  return std::make_unique<const LinearModel>(std::move(file));
}

Model::Model(ModelFile file, std::string_view kind) : file_(std::move(file)) {
  load_card(kind);
  load_labels();
  load_calibration();
  load_vectorizer();
  load_feature_weights();
}

nlohmann::json Model::card() const {
  auto card = nlohmann::json::parse(file_.metadata("model"), nullptr, false);
  if (!card.is_object()) {
    fail(ErrorCode::kInvalidData, "{}: the model card is no JSON object", file_.path());
  }
  return card;
}

void Model::refuse_card(const std::exception& error) const {
  fail(ErrorCode::kInvalidData, "{}: the model card is damaged: {}", file_.path(), error.what());
}

void Model::load_card(std::string_view kind) {
  const nlohmann::json card = this->card();
  try {
    if (card.at("kind") != kind) {
      fail(ErrorCode::kInvalidData, "{}: a model of kind {}; expected {}", file_.path(),
           card.at("kind").dump(), kind);
    }
    card.at("num_labels").get_to(num_labels_);
    card.at("num_numbered_labels").get_to(num_numbered_);
    card.at("num_features").get_to(num_features_);
    card.at("training_rows").get_to(training_rows_);
  } catch (const nlohmann::json::exception& error) {
    refuse_card(error);
  }
}

void Model::load_labels() {
  names_ = file_.strings("labels.names");
  label_counts_ = file_.tensor<std::uint32_t>("labels.counts");
  if (num_numbered_ > num_labels_ || num_labels_ - num_numbered_ != names_.size() ||
      label_counts_.size() != num_labels_) {
    fail(ErrorCode::kInvalidData, "{}: label names and counts do not agree", file_.path());
  }
}

void Model::load_calibration() {
  const auto scores = file_.tensor<float>("calibration.scores");
  const auto probabilities = file_.tensor<float>("calibration.probabilities");
  calibration_ = metrics::Calibration({scores.begin(), scores.end()},
                                      {probabilities.begin(), probabilities.end()});
}

void Model::load_vectorizer() {
  if (file_.find_metadata("text.options") == nullptr) return;
  vectorizer_ = open_vectorizer(file_);
  input_kind_ = InputKind::kText;
  if (vectorizer_->num_features() != num_features_) {
    fail(ErrorCode::kInvalidData, "{}: a vocabulary of {} terms for {} features", file_.path(),
         vectorizer_->num_features(), num_features_);
  }
}

void Model::load_feature_weights() {
  const nlohmann::json card = this->card();
  if (!card.contains("feature_weights")) return;  // so are files of before there were any
  try {
    card.at("feature_weights").at("roots").get_to(feature_weights_.roots);
  } catch (const nlohmann::json::exception& error) {
    refuse_card(error);
  }
  feature_weights_.columns = file_.tensor<float>(kFeatureWeights);
  if (feature_weights_.columns.size() != num_features_ || num_features_ == 0) {
    fail(ErrorCode::kInvalidData, "{}: {} weights of {} features", file_.path(),
         feature_weights_.columns.size(), num_features_);
  }
}

std::string Model::label_name(LabelId label) const {
  const std::size_t index = index_of(label);
  require(index < num_labels_, "label {} does not exist; there are {}", index, num_labels_);
  if (index < num_numbered_) return fmt::format("{}", index);
  return std::string(names_[index - num_numbered_]);
}

labels::LabelNames Model::label_names() const {
  labels::LabelNames names = labels::LabelNames::numbered(num_numbered_);
  for (std::size_t i = 0; i < names_.size(); ++i) names.intern(names_[i]);
  return names;
}

}  // namespace mhe::model

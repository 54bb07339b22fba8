// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/predictor.h"

#include <algorithm>

#include "base/check.h"
#include "matrix/normalize.h"

namespace mhe::predict {
namespace {

// One entry a label: the mean of its scores. Scores of a label are added from the lowest up, so
// that the sum does not depend on the sort, which is not a stable one: that would allocate.
void merge_by_label(std::vector<Prediction>& predictions, std::size_t num_members) {
  std::sort(predictions.begin(), predictions.end(), [](const Prediction& a, const Prediction& b) {
    return a.label != b.label ? a.label < b.label : a.probability < b.probability;
  });
  std::size_t merged = 0;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (merged > 0 && predictions[merged - 1].label == predictions[i].label) {
      predictions[merged - 1].probability += predictions[i].probability;
    } else {
      predictions[merged++] = predictions[i];
    }
  }
  predictions.resize(merged);
  for (Prediction& prediction : predictions) {
    prediction.probability /= static_cast<float>(num_members);
  }
}

}  // namespace

Predictor::Predictor(const model::LinearModel& model) : model_(model) {
  if (model.vectorizer() != nullptr) text_.emplace(*model.vectorizer());
}

std::span<const Prediction> Predictor::predict(const SparseRow& features, std::size_t k) {
  normalized_.assign(features.values.begin(), features.values.end());
  normalize_l2(normalized_);
  const SparseRow query = {features.columns, normalized_};
  search_members(query, k);
  for (Prediction& prediction : predictions_) {
    prediction.probability = model_.calibration()(prediction.probability);
  }
  return predictions_;
}

// Leaves the labels of the highest mean score in predictions_. A label that a member does not rank
// among its best counts as 0 there.
void Predictor::search_members(const SparseRow& query, std::size_t k) {
  const std::size_t num_members = model_.members().size();
  k = std::min(k, model_.num_labels());
  // Members disagree about the end of their lists; looking further makes the mean less of a
  // lottery.
  const std::size_t depth = num_members == 1 ? k : 2 * k + 10;
  predictions_.clear();
  for (const model::LinearMember& member : model_.members()) {
    heads::search_beam(member.levels, query, depth, member.search, beam_);
    for (const heads::ScoredNode& node : beam_.beam) {
      const std::uint32_t label = member.label_at[node.node];
      // The file is mapped, not read, so its labels are looked at when they come up.
      if (label < model_.num_labels()) predictions_.push_back({LabelId{label}, node.score});
    }
  }
  if (num_members > 1) merge_by_label(predictions_, num_members);
  const auto by_score = [](const Prediction& a, const Prediction& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.label < b.label;
  };
  std::sort(predictions_.begin(), predictions_.end(), by_score);
  if (predictions_.size() > k) predictions_.resize(k);
}

std::span<const Prediction> Predictor::predict(std::span<const std::string_view> fields,
                                               std::size_t k) {
  require(text_.has_value(), "the model was trained on sparse vectors, not on text");
  return predict(model_.vectorizer()->transform_one(fields, *text_), k);
}

}  // namespace mhe::predict

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/predictor.h"

#include "base/check.h"
#include "matrix/normalize.h"

namespace mhe::predict {

Predictor::Predictor(const model::CascadeModel& model) : model_(model) {
  if (model.vectorizer() != nullptr) text_.emplace(*model.vectorizer());
}

std::span<const Prediction> Predictor::predict(const SparseRow& features, std::size_t k) {
  normalized_.assign(features.values.begin(), features.values.end());
  normalize_l2(normalized_);
  const SparseRow query = {features.columns, normalized_};
  heads::search_beam(model_.levels(), query, k, model_.search(), beam_);
  predictions_.clear();
  for (const heads::ScoredNode& node : beam_.beam) {
    predictions_.push_back({model_.label_at(node.node), node.score});
  }
  return predictions_;
}

std::span<const Prediction> Predictor::predict(std::span<const std::string_view> fields,
                                               std::size_t k) {
  require(text_.has_value(), "the model was trained on sparse vectors, not on text");
  return predict(model_.vectorizer()->transform_one(fields, *text_), k);
}

}  // namespace mhe::predict

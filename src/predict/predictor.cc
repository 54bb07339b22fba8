// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/predictor.h"

#include "base/check.h"
#include "matrix/normalize.h"

namespace mhe::predict {

Predictor::Predictor(const model::LinearModel& model, double tail)
    : model_(model),
      search_(model.members(), model.num_labels(),
              TailWeights(model.label_counts(), model.training_rows(), tail)) {
  if (model.vectorizer() != nullptr) text_.emplace(*model.vectorizer());
}

std::span<const Prediction> Predictor::predict(const SparseRow& features, std::size_t k) {
  normalized_.assign(features.values.begin(), features.values.end());
  normalize_l2(normalized_);
  const SparseRow query = {features.columns, normalized_};
  const std::span<Prediction> found = search_.search(query, k);
  for (Prediction& prediction : found) {
    prediction.probability = model_.calibration()(prediction.probability);
  }
  return found;
}

std::span<const Prediction> Predictor::predict(std::span<const std::string_view> fields,
                                               std::size_t k) {
  require(text_.has_value(), "the model was trained on sparse vectors, not on text");
  return predict(model_.vectorizer()->transform_one(fields, *text_), k);
}

}  // namespace mhe::predict

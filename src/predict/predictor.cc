// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/predictor.h"

#include <algorithm>

#include "base/check.h"
#include "matrix/normalize.h"

namespace mhe::predict {

Predictor::Predictor(const model::LinearModel& model, double tail)
    : model_(model),
      search_(model.scorers(), model.num_labels()),
      tail_(model.label_counts(), model.training_rows(), tail) {
  if (model.vectorizer() != nullptr) text_.emplace(*model.vectorizer());
}

std::span<const Prediction> Predictor::predict(const SparseRow& features, std::size_t k) {
  normalized_.assign(features.values.begin(), features.values.end());
  normalize_l2(normalized_);
  const SparseRow query = {features.columns, normalized_};
  const std::span<Prediction> found = search_.search(query, depth(k));
  for (Prediction& prediction : found) {
    prediction.probability = model_.calibration()(prediction.probability);
  }
  if (!tail_.change_nothing()) rank_by_weight(found);
  return found.first(std::min(k, found.size()));
}

// How many labels to look at for the k best.
std::size_t Predictor::depth(std::size_t k) const noexcept {
  // Rare labels come from further down. The same for all small k, so that the list for one of them
  // is the beginning of the list for another.
  constexpr std::size_t kTailDepth = 100;
  if (tail_.change_nothing() || k == 0) return k;
  return std::max(kTailDepth, 5 * std::min(k, model_.num_labels()));
}

void Predictor::rank_by_weight(std::span<Prediction> found) const {
  std::sort(found.begin(), found.end(), [&](const Prediction& a, const Prediction& b) {
    const float score_a = a.probability * tail_(a.label);
    const float score_b = b.probability * tail_(b.label);
    return score_a != score_b ? score_a > score_b : a.label < b.label;
  });
}

std::span<const Prediction> Predictor::predict(std::span<const std::string_view> fields,
                                               std::size_t k) {
  require(text_.has_value(), "the model was trained on sparse vectors, not on text");
  return predict(model_.vectorizer()->transform_one(fields, *text_), k);
}

}  // namespace mhe::predict

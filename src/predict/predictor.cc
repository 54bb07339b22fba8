// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/predictor.h"

#include <algorithm>

#include "base/check.h"
#include "heads/head_spec.h"
#include "matrix/normalize.h"
#include "model/learned_model.h"
#include "model/linear_model.h"

namespace mhe::predict {
namespace {

std::variant<MemberSearch, LearnedSearch> make_search(const model::Model& model) {
  if (const auto* learned = dynamic_cast<const model::LearnedModel*>(&model)) {
    return LearnedSearch(learned->members(), model.num_labels());
  }
  const auto& linear = dynamic_cast<const model::LinearModel&>(model);
  return MemberSearch(linear.scorers(), model.num_labels());
}

}  // namespace

void check_beam(const model::Model& model, std::size_t beam) {
  if (beam == 0) return;
  require(beam <= heads::kMaxParents, "a beam of {}; expected 1 to {}, or 0", beam,
          heads::kMaxParents);
  require(model.head_kind() == HeadKind::kCascade,
          "a beam of {}; the model has none: its head is {}, and only cascades have one", beam,
          head_kind_name(model.head_kind()));
}

void check_sets(const model::Model& model) {
  const auto* learned = dynamic_cast<const model::LearnedModel*>(&model);
  const bool has_sets = learned != nullptr &&
                        std::all_of(learned->members().begin(), learned->members().end(),
                                    [](const model::LearnedMember& member) {
                                      return member.head.has_code(heads::ProductCode::kPowerset);
                                    });
  require(has_sets,
          "the model predicts labels, not sets of labels; --powerset trains one that does");
}

Predictor::Predictor(const model::Model& model, const SessionOptions& options)
    : model_(model),
      search_(make_search(model)),
      tail_(model.label_counts(), model.training_rows(), options.tail),
      beam_(options.beam) {
  check_beam(model, beam_);
  if (model.vectorizer() != nullptr) text_.emplace(*model.vectorizer());
}

std::span<const std::uint32_t> Predictor::best_choices() const {
  return std::visit([](const auto& search) { return search.best_choices(); }, search_);
}

std::vector<LabelSet> Predictor::best_sets(std::size_t k) {
  check_sets(model_);
  return std::get<LearnedSearch>(search_).best_sets(k);
}

double Predictor::phantom_mass() const {
  const auto* learned = std::get_if<LearnedSearch>(&search_);
  return learned == nullptr ? 0.0 : learned->phantom_mass();
}

std::span<const Prediction> Predictor::predict(const SparseRow& features, std::size_t k) {
  require(model_.input_kind() != InputKind::kDense,
          "the model was trained on dense vectors, not on sparse ones");
  normalized_.assign(features.values.begin(), features.values.end());
  normalize_l2(normalized_);
  if (!model_.feature_weights().change_nothing()) {
    model_.feature_weights().apply(features.columns, normalized_);
  }
  const SparseRow query = {features.columns, normalized_};
  return finish(
      std::visit([&](auto& search) { return search.search(query, depth(k), beam_); }, search_), k);
}

std::span<const Prediction> Predictor::predict(std::span<const float> features, std::size_t k) {
  auto* learned = std::get_if<LearnedSearch>(&search_);
  require(learned != nullptr && model_.input_kind() == InputKind::kDense,
          "a dense vector; the model was trained on something else");
  return finish(learned->search(features, depth(k), beam_), k);
}

std::span<const Prediction> Predictor::finish(std::span<Prediction> found, std::size_t k) const {
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
  require(text_.has_value(), "the model was trained on vectors, not on text");
  return predict(model_.vectorizer()->transform_one(fields, *text_), k);
}

}  // namespace mhe::predict

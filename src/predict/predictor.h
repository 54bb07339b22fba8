// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <mhe/input.h>
#include <mhe/model.h>

#include "model/model.h"
#include "predict/learned_search.h"
#include "predict/member_search.h"
#include "predict/tail_weights.h"
#include "text/vectorizer.h"

namespace mhe::predict {

/// Throws kInvalidArgument unless `beam` is 0 or the model is a cascade, which may have it.
void check_beam(const model::Model& model, std::size_t beam);

/// Throws kInvalidArgument unless the model predicts sets of labels.
void check_sets(const model::Model& model);

/// Predicts with a shared model. Holds the scratch space, so one per thread; allocates nothing once
/// it has seen the largest input. The model must outlive it.
class Predictor {
 public:
  /// Throws kInvalidArgument for a tail or beam out of range, or a beam that the model does not
  /// have.
  explicit Predictor(const model::Model& model, const SessionOptions& options = {});

  /// The k best labels, best first, equal scores by the smaller id; valid until the next call.
  /// Their probabilities are the same whatever the tail, so with one they need not fall. Features
  /// the model does not know are ignored.
  [[nodiscard]] std::span<const Prediction> predict(const SparseRow& features, std::size_t k);

  /// The same for a dense vector. Throws kInvalidArgument if the model takes something else.
  [[nodiscard]] std::span<const Prediction> predict(std::span<const float> features, std::size_t k);

  /// The same from the text fields of a document. Throws kInvalidArgument if the model was not
  /// trained on text or the number of fields is wrong.
  [[nodiscard]] std::span<const Prediction> predict(std::span<const std::string_view> fields,
                                                    std::size_t k);

  /// The k most probable sets of labels in the last prediction, best first. Throws kInvalidArgument
  /// unless the model predicts sets.
  [[nodiscard]] std::vector<LabelSet> best_sets(std::size_t k);

  /// What each head of the first member thought best by itself in the last prediction: digits of
  /// product heads, nodes of the levels of a cascade. None of other heads.
  [[nodiscard]] std::span<const std::uint32_t> best_choices() const;
  /// What product heads of the first member gave to no label.
  [[nodiscard]] double phantom_mass() const;

 private:
  [[nodiscard]] std::span<const Prediction> finish(std::span<Prediction> found,
                                                   std::size_t k) const;
  [[nodiscard]] std::size_t depth(std::size_t k) const noexcept;
  void rank_by_weight(std::span<Prediction> found) const;

  const model::Model& model_;
  std::variant<MemberSearch, LearnedSearch> search_;
  TailWeights tail_;
  std::size_t beam_;
  std::optional<text::Vectorizer::Scratch> text_;
  std::vector<float> normalized_;
};

}  // namespace mhe::predict

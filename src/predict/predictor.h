// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <mhe/predict.h>

#include "model/model.h"
#include "predict/ranker.h"
#include "predict/tail_weights.h"
#include "text/vectorizer.h"

namespace mhe::predict {

/// Throws kInvalidArgument unless the model can do what the options ask for.
void check_options(const model::Model& model, const PredictOptions& options);
/// Throws kInvalidArgument unless the model takes such rows.
void check_batch(const model::Model& model, const InputBatch& batch);

/// Predicts on one thread. Holds the scratch space; allocates nothing once it has seen the largest
/// input. The model must outlive it.
class Predictor {
 public:
  explicit Predictor(const model::Model& model);

  /// Takes `count` rows of a batch from `begin` on, and what is asked for: both checked, both to
  /// stay as they are until the next call.
  void begin(const InputBatch& batch, std::size_t begin, std::size_t count,
             const PredictOptions& options);
  /// The labels of one of these rows, counted from `begin`; valid until the next call.
  [[nodiscard]] std::span<const ScoredLabel> predict(std::size_t row);

  /// What the members found beside labels in the last prediction.
  [[nodiscard]] Ranker& ranker() noexcept { return ranker_; }

 private:
  void take_texts(const TextRows& texts, std::size_t begin, std::size_t count);
  void add_row(const SparseRow& row);
  void gather_rows();
  [[nodiscard]] std::span<ScoredLabel> rank(std::size_t row, const model::SearchDepth& depth);
  [[nodiscard]] std::span<ScoredLabel> find_allowed(std::size_t row);
  [[nodiscard]] std::size_t num_wanted() const noexcept;
  [[nodiscard]] std::size_t depth() const noexcept;
  void rank_by_weight(std::span<ScoredLabel> found) const;

  const model::Model& model_;
  Ranker ranker_;
  std::optional<text::Vectorizer::Scratch> text_;
  double tail_ = 0;
  TailWeights tail_weights_;
  PredictOptions options_;
  // The rows at hand, of length 1 and weighed.
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
  std::vector<SparseRow> rows_;
};

}  // namespace mhe::predict

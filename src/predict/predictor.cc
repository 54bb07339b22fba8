// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/predictor.h"

#include <algorithm>

#include "base/check.h"
#include "heads/head_spec.h"
#include "input/input.h"
#include "matrix/normalize.h"

namespace mhe::predict {
namespace {

void check_beam(const model::Model& model, std::size_t beam) {
  if (beam == 0) return;
  require(beam <= heads::kMaxParents, "a beam of {}; expected 1 to {}, or 0", beam,
          heads::kMaxParents);
  require(model.head_kind() == HeadKind::kCascade,
          "a beam of {}; the model has none: its head is {}, and only cascades have one", beam,
          head_kind_name(model.head_kind()));
}

void check_allowed(const model::Model& model, std::span<const LabelId> allowed) {
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    require(index_of(allowed[i]) < model.num_labels(), "label {} does not exist; there are {}",
            index_of(allowed[i]), model.num_labels());
    require(i == 0 || allowed[i - 1] < allowed[i], "allowed labels must ascend");
  }
}

}  // namespace

void check_options(const model::Model& model, const PredictOptions& options) {
  check_beam(model, options.beam);
  check_allowed(model, options.allowed);
  require(options.tail >= 0 && options.tail <= 1, "tail {}; expected 0 to 1", options.tail);
  require(options.sets == 0 || model.predicts_sets(),
          "the model predicts labels, not sets of labels; the option powerset trains one that "
          "does");
}

void check_batch(const model::Model& model, const InputBatch& batch) {
  const InputKind kind = model.input_kind();
  require(kind_of(batch) == kind, "the model takes {}; these rows are {}", kind_name(kind),
          kind_name(kind_of(batch)));
  input::check(batch);
  if (const auto* const text = std::get_if<TextRows>(&batch)) {
    const std::size_t fields = model.vectorizer()->options().fields.size();
    require(text->num_fields == fields, "documents of {} text fields; the model takes {}",
            text->num_fields, fields);
  } else if (const auto* const dense = std::get_if<DenseRows>(&batch)) {
    for (const DenseRow row : dense->rows) {
      require(row.size() == model.num_features(), "a vector of {} numbers; expected {}", row.size(),
              model.num_features());
    }
  }
}

Predictor::Predictor(const model::Model& model)
    : model_(model), ranker_(model.members(), model.num_labels()) {
  if (model.vectorizer() != nullptr) text_.emplace(*model.vectorizer());
}

void Predictor::begin(const InputBatch& batch, std::size_t begin, std::size_t count,
                      const PredictOptions& options) {
  options_ = options;
  if (options.tail != tail_) {
    tail_weights_ = TailWeights(model_.label_counts(), model_.training_rows(), options.tail);
    tail_ = options.tail;
  }
  if (const auto* const dense = std::get_if<DenseRows>(&batch)) {
    return ranker_.begin(DenseRows{dense->rows.subspan(begin, count)});
  }
  ends_.clear();
  columns_.clear();
  values_.clear();
  if (const auto* const text = std::get_if<TextRows>(&batch)) {
    take_texts(*text, begin, count);
  } else {
    for (const SparseRow& row : std::get<SparseRows>(batch).rows.subspan(begin, count))
      add_row(row);
  }
  gather_rows();
}

void Predictor::take_texts(const TextRows& texts, std::size_t begin, std::size_t count) {
  const std::size_t fields = texts.num_fields;
  for (std::size_t row = begin; row < begin + count; ++row) {
    add_row(model_.vectorizer()->transform_one(texts.texts.subspan(row * fields, fields), *text_));
  }
}

void Predictor::add_row(const SparseRow& row) {
  const std::size_t begin = values_.size();
  columns_.insert(columns_.end(), row.columns.begin(), row.columns.end());
  values_.insert(values_.end(), row.values.begin(), row.values.end());
  const std::span<float> values = std::span(values_).subspan(begin);
  normalize_l2(values);
  if (!model_.feature_weights().change_nothing()) {
    model_.feature_weights().apply(row.columns, values);
  }
  ends_.push_back(values_.size());
}

// Once all are there, so that none moves any more.
void Predictor::gather_rows() {
  rows_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    rows_.push_back({std::span(columns_).subspan(begin, end - begin),
                     std::span(values_).subspan(begin, end - begin)});
    begin = end;
  }
  ranker_.begin(SparseRows{rows_});
}

std::span<const ScoredLabel> Predictor::predict(std::size_t row) {
  std::span<ScoredLabel> found =
      options_.allowed.empty() ? rank(row, {depth(), options_.beam}) : find_allowed(row);
  if (!tail_weights_.change_nothing()) rank_by_weight(found);
  if (options_.threshold > 0) {
    const auto end = std::remove_if(found.begin(), found.end(), [&](const ScoredLabel& label) {
      return label.score < options_.threshold;
    });
    found = found.first(static_cast<std::size_t>(end - found.begin()));
  }
  return found.first(std::min(options_.k, found.size()));
}

// The best labels of a row with their probabilities.
std::span<ScoredLabel> Predictor::rank(std::size_t row, const model::SearchDepth& depth) {
  const std::span<ScoredLabel> found = ranker_.rank(row, depth);
  model_.calibration().apply(found);
  return found;
}

// Searches ever deeper, then ever wider, until enough labels are among those allowed.
std::span<ScoredLabel> Predictor::find_allowed(std::size_t row) {
  constexpr std::size_t kGrowth = 4;
  constexpr std::size_t kFirst = 64;  // about what one search finds anyhow
  const bool can_widen = model_.head_kind() == HeadKind::kCascade && options_.beam == 0;
  const std::size_t wanted = std::min(num_wanted(), options_.allowed.size());
  model::SearchDepth depth = {kFirst, options_.beam};
  for (std::size_t last_found = 0;;) {
    const std::span<ScoredLabel> found = rank(row, depth);
    const bool is_cut = found.size() == depth.labels;
    const bool is_same = depth.beam > 0 && found.size() == last_found;  // the beam holds all nodes
    last_found = found.size();
    const auto end = std::remove_if(found.begin(), found.end(), [&](const ScoredLabel& label) {
      return !std::binary_search(options_.allowed.begin(), options_.allowed.end(), label.label);
    });
    const auto num_allowed = static_cast<std::size_t>(end - found.begin());
    if (num_allowed >= wanted || (!is_cut && (!can_widen || is_same))) {
      return found.first(num_allowed);
    }
    if (is_cut) {
      depth.labels *= kGrowth;
    } else {
      depth.beam = std::min<std::size_t>(heads::kMaxParents,
                                         depth.beam == 0 ? kFirst : kGrowth * depth.beam);
    }
  }
}

// How many labels to rank by weight for the k best.
std::size_t Predictor::num_wanted() const noexcept {
  // Rare labels come from further down. The same for all small k, so that the list for one of them
  // is the beginning of the list for another.
  constexpr std::size_t kTailDepth = 100;
  if (tail_weights_.change_nothing() || options_.k == 0) return options_.k;
  return std::max(kTailDepth, 5 * std::min(options_.k, model_.num_labels()));
}

// How many to search for.
std::size_t Predictor::depth() const noexcept {
  return options_.k == 0 ? 0 : std::max(num_wanted(), model_.calibration().depth());
}

void Predictor::rank_by_weight(std::span<ScoredLabel> found) const {
  std::sort(found.begin(), found.end(), [&](const ScoredLabel& a, const ScoredLabel& b) {
    const float score_a = a.score * tail_weights_(a.label);
    const float score_b = b.score * tail_weights_(b.label);
    return score_a != score_b ? score_a > score_b : a.label < b.label;
  });
}

}  // namespace mhe::predict

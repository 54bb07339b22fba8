// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <utility>

#include <mhe/context.h>
#include <mhe/predict.h>

#include "base/parallel.h"
#include "predict/predictor.h"

namespace mhe {
namespace {

constexpr std::size_t kGrain = 64;  // rows a block: some milliseconds

}  // namespace

std::span<const ScoredLabel> Predictions::operator[](std::size_t row) const noexcept {
  const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
  return std::span(labels_).subspan(begin, ends_[row] - begin);
}

std::span<const LabelSet> Predictions::sets(std::size_t row) const noexcept {
  return row < sets_.size() ? std::span<const LabelSet>(sets_[row]) : std::span<const LabelSet>();
}

std::span<const std::uint32_t> Predictions::choices(std::size_t row) const noexcept {
  return row < choices_.size() ? std::span<const std::uint32_t>(choices_[row])
                               : std::span<const std::uint32_t>();
}

double Predictions::phantom_mass(std::size_t row) const noexcept {
  return row < phantom_mass_.size() ? phantom_mass_[row] : 0;
}

void Predictions::clear() noexcept {
  ends_.clear();
  labels_.clear();
  sets_.clear();
  choices_.clear();
  phantom_mass_.clear();
}

void Predictions::append(const Predictions& other) {
  const std::size_t base = labels_.size();
  for (const std::size_t end : other.ends_) ends_.push_back(base + end);
  labels_.insert(labels_.end(), other.labels_.begin(), other.labels_.end());
  sets_.insert(sets_.end(), other.sets_.begin(), other.sets_.end());
  choices_.insert(choices_.end(), other.choices_.begin(), other.choices_.end());
  phantom_mass_.insert(phantom_mass_.end(), other.phantom_mass_.begin(), other.phantom_mass_.end());
}

struct Session::Impl {
  Impl(Model given, const Context* on) : model(std::move(given)), context(on) {
    predictors.resize(context == nullptr ? 1 : context->threads());
  }

  predict::Predictor& predictor(std::size_t worker) {
    auto& mine = predictors[worker];
    if (!mine) mine = std::make_unique<predict::Predictor>(model.internals());
    return *mine;
  }

  // Appends what rows [begin, end) of the batch give to `out`.
  static void predict_block(predict::Predictor& predictor, const InputBatch& batch,
                            const Block& block, const PredictOptions& options, Predictions& out) {
    predictor.begin(batch, block.begin, block.end - block.begin, options);
    for (std::size_t row = 0; row < block.end - block.begin; ++row) {
      const std::span<const ScoredLabel> found = predictor.predict(row);
      out.labels_.insert(out.labels_.end(), found.begin(), found.end());
      out.ends_.push_back(out.labels_.size());
      predict::Ranker& ranker = predictor.ranker();
      if (options.sets > 0) out.sets_.push_back(ranker.best_sets(options.sets));
      if (!options.choices) continue;
      const std::span<const std::uint32_t> choices = ranker.best_choices();
      out.choices_.emplace_back(choices.begin(), choices.end());
      out.phantom_mass_.push_back(ranker.phantom_mass());
    }
  }

  const Predictions& predict(const InputBatch& batch, const PredictOptions& options) {
    predict::check_options(model.internals(), options);
    predict::check_batch(model.internals(), batch);
    const std::size_t rows = size_of(batch);
    result.clear();
    if (context == nullptr || rows == 1 || context->threads() == 1) {
      for (std::size_t begin = 0; begin < rows; begin += kGrain) {
        predict_block(predictor(0), batch, {begin, std::min(rows, begin + kGrain)}, options,
                      result);
      }
      return result;
    }
    // Fewer rows a block where few are to be shared by all threads.
    const std::size_t grain = std::clamp<std::size_t>(rows / (4 * context->threads()), 1, kGrain);
    parts.resize(std::max(parts.size(), (rows + grain - 1) / grain));
    parallel_blocks(*context, rows, grain, [&](const Block& block) {
      parts[block.index].clear();
      predict_block(predictor(block.worker), batch, block, options, parts[block.index]);
    });
    for (std::size_t i = 0; i * grain < rows; ++i) result.append(parts[i]);
    return result;
  }

  Model model;
  const Context* context;                                       // none: the calling thread alone
  std::vector<std::unique_ptr<predict::Predictor>> predictors;  // [worker]
  std::vector<Predictions> parts;                               // [block]
  Predictions result;
};

Session::Session(const Model& model) : impl_(std::make_unique<Impl>(model, nullptr)) {}
Session::Session(const Model& model, const Context& context)
    : impl_(std::make_unique<Impl>(model, &context)) {}
Session::~Session() = default;
Session::Session(Session&& other) noexcept = default;
Session& Session::operator=(Session&& other) noexcept = default;

const Predictions& Session::predict(const InputBatch& batch, const PredictOptions& options) {
  return impl_->predict(batch, options);
}

std::span<const ScoredLabel> Session::predict(std::string_view text,
                                              const PredictOptions& options) {
  return predict(std::span(&text, 1), options);
}

std::span<const ScoredLabel> Session::predict(std::span<const std::string_view> fields,
                                              const PredictOptions& options) {
  return predict(TextRows{fields, fields.size()}, options)[0];
}

std::span<const ScoredLabel> Session::predict(const SparseRow& row, const PredictOptions& options) {
  return predict(SparseRows{{&row, 1}}, options)[0];
}

std::span<const ScoredLabel> Session::predict(DenseRow row, const PredictOptions& options) {
  return predict(DenseRows{{&row, 1}}, options)[0];
}

void Session::check(const PredictOptions& options) const {
  predict::check_options(impl_->model.internals(), options);
}

const Model& Session::model() const noexcept {
  return impl_->model;
}

}  // namespace mhe

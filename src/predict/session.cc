// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <utility>

#include <mhe/context.h>
#include <mhe/model.h>

#include "base/check.h"
#include "base/parallel.h"
#include "input/input.h"
#include "model/model.h"
#include "predict/predictor.h"

namespace mhe {
namespace {

// Rows on all threads, a session each.
template <class PredictRow>
std::vector<std::vector<Prediction>> predict_rows(const Model& model, std::size_t rows,
                                                  std::size_t threads,
                                                  const SessionOptions& options,
                                                  const PredictRow& predict_row) {
  const Context context({.threads = threads});
  std::vector<std::vector<Prediction>> all(rows);
  std::vector<std::unique_ptr<Session>> sessions(context.threads());
  constexpr std::size_t kGrain = 64;  // rows a block: some milliseconds
  parallel_blocks(context, rows, kGrain, [&](const Block& block) {
    auto& session = sessions[block.worker];
    if (!session) session = std::make_unique<Session>(model, options);
    for (std::size_t row = block.begin; row < block.end; ++row) {
      const std::span<const Prediction> found = predict_row(*session, row);
      all[row].assign(found.begin(), found.end());
    }
  });
  return all;
}

}  // namespace

struct Model::Impl {
  std::unique_ptr<const model::Model> model;
};

struct Session::Impl {
  std::shared_ptr<const Model::Impl> model;
  predict::Predictor predictor;
};

Model::Model(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}

Model Model::open(const std::string& path) {
  return Model(std::make_shared<const Impl>(Impl{model::Model::open(path)}));
}

std::size_t Model::num_labels() const noexcept {
  return impl_->model->num_labels();
}

std::size_t Model::num_features() const noexcept {
  return impl_->model->num_features();
}

std::string Model::label_name(LabelId label) const {
  return impl_->model->label_name(label);
}

std::vector<std::string> Model::text_fields() const {
  std::vector<std::string> names;
  if (impl_->model->vectorizer() == nullptr) return names;
  for (const auto& field : impl_->model->vectorizer()->options().fields) {
    names.push_back(field.name);
  }
  return names;
}

bool Model::takes_dense_vectors() const noexcept {
  return impl_->model->input_kind() == InputKind::kDense;
}

Session::Session(const Model& model, const SessionOptions& options)
    : impl_(new Impl{model.impl_, predict::Predictor(*model.impl_->model, options)}) {}
Session::~Session() = default;
Session::Session(Session&& other) noexcept = default;
Session& Session::operator=(Session&& other) noexcept = default;

std::span<const Prediction> Session::predict(std::string_view text, std::size_t k) {
  return predict(std::span(&text, 1), k);
}

std::span<const Prediction> Session::predict(std::span<const std::string_view> fields,
                                             std::size_t k) {
  return impl_->predictor.predict(fields, k);
}

std::span<const Prediction> Session::predict(const SparseRow& input, std::size_t k) {
  input::check(input);
  return impl_->predictor.predict(input, k);
}

std::span<const Prediction> Session::predict(std::span<const float> vector, std::size_t k) {
  input::check(vector);
  return impl_->predictor.predict(vector, k);
}

std::vector<LabelSet> Session::best_sets(std::size_t k) {
  return impl_->predictor.best_sets(k);
}

std::vector<std::vector<Prediction>> predict_all(const Model& model,
                                                 std::span<const SparseRow> inputs, std::size_t k,
                                                 std::size_t threads,
                                                 const SessionOptions& options) {
  return predict_rows(
      model, inputs.size(), threads, options,
      [&](Session& session, std::size_t row) { return session.predict(inputs[row], k); });
}

std::vector<std::vector<Prediction>> predict_all(const Model& model,
                                                 std::span<const std::string_view> texts,
                                                 std::size_t k, std::size_t threads,
                                                 const SessionOptions& options) {
  const std::size_t fields = model.text_fields().size();
  require(fields > 0, "the model was trained on vectors, not on text");
  require(texts.size() % fields == 0, "{} texts are no documents of {} fields each", texts.size(),
          fields);
  return predict_rows(model, texts.size() / fields, threads, options,
                      [&](Session& session, std::size_t row) {
                        return session.predict(texts.subspan(row * fields, fields), k);
                      });
}

}  // namespace mhe

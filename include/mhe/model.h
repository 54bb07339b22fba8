// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Using a trained model: open it once, share it, give each thread a session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/ids.h>
#include <mhe/input.h>

namespace mhe {

/// A label and its probability as the model sees it.
struct Prediction {
  LabelId label{};
  float probability = 0;
};

/// Labels that are true together while no other is, and how probable that is.
struct LabelSet {
  std::vector<LabelId> labels;  ///< ascending; may be empty
  float probability = 0;
};

/// A trained model, mapped from its file. Immutable and cheap to copy: copies share it. Many
/// threads may use one.
class Model {
 public:
  /// Reads the header only, so this takes less than a millisecond whatever the file's size. Throws
  /// Error: kNotFound, kIo, or kInvalidData with the reason if it is no model that this version
  /// reads.
  [[nodiscard]] static Model open(const std::string& path);

  [[nodiscard]] std::size_t num_labels() const noexcept;
  [[nodiscard]] std::size_t num_features() const noexcept;
  /// The name a label had in the training data. Throws kInvalidArgument if there is no such label.
  [[nodiscard]] std::string label_name(LabelId label) const;
  /// Names of the text fields that a document has, in order; empty if the model takes vectors.
  [[nodiscard]] std::vector<std::string> text_fields() const;

  /// Whether the model takes dense vectors, of num_features() numbers.
  [[nodiscard]] bool takes_dense_vectors() const noexcept;

 private:
  friend class Session;
  struct Impl;
  explicit Model(std::shared_ptr<const Impl> impl) noexcept;

  std::shared_ptr<const Impl> impl_;  // shared by copies and sessions: the model is immutable
};

/// How a session finds labels and ranks them.
struct SessionOptions {
  /// From 0 to 1: how much rare labels are favoured. Labels rank by probability times
  /// (1 / propensity)^tail, where the propensity follows from a label's training rows; this trades
  /// P@k for PSP@k. Probabilities stay what they are, so they need not fall along the list.
  double tail = 0;
  /// How many nodes of each level a cascade follows, up to 1,000,000; 0: as many as the model was
  /// trained to. More find better labels and take longer. Other heads have no beam: they refuse
  /// any but 0.
  std::size_t beam = 0;
};

/// Predicts with a model; holds the memory that takes, so one for each thread. Allocates nothing
/// once it has seen the largest input. Keeps the model alive.
///
/// Predictions come best first, equal ones by the smaller label; there are at most `k`, and they
/// are valid until the next call. All functions throw kInvalidArgument for input that the model
/// does not take.
class Session {
 public:
  /// Throws kInvalidArgument for options out of range, or a beam that the model does not have.
  explicit Session(const Model& model, const SessionOptions& options = {});
  ~Session();
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;

  /// For a document of one text field.
  [[nodiscard]] std::span<const Prediction> predict(std::string_view text, std::size_t k);
  /// For a document with a text for each field of the model.
  [[nodiscard]] std::span<const Prediction> predict(std::span<const std::string_view> fields,
                                                    std::size_t k);
  /// For a vector. Features that the model does not know are ignored.
  [[nodiscard]] std::span<const Prediction> predict(const SparseRow& input, std::size_t k);
  /// For a dense vector of as many finite numbers as the model has features.
  [[nodiscard]] std::span<const Prediction> predict(std::span<const float> vector, std::size_t k);

  /// The k most probable sets of labels, best first, for what predict() was last called with. Their
  /// probabilities are the model's own, not calibrated. Throws kInvalidArgument unless the model
  /// was trained to predict sets (a powerset).
  [[nodiscard]] std::vector<LabelSet> best_sets(std::size_t k);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The predictions of many inputs, found on `threads` threads (0: one per core), in their order.
[[nodiscard]] std::vector<std::vector<Prediction>> predict_all(const Model& model,
                                                               std::span<const SparseRow> inputs,
                                                               std::size_t k,
                                                               std::size_t threads = 0,
                                                               const SessionOptions& options = {});
/// The same for documents; `texts` has the fields of the first, then those of the second, ...
[[nodiscard]] std::vector<std::vector<Prediction>> predict_all(
    const Model& model, std::span<const std::string_view> texts, std::size_t k,
    std::size_t threads = 0, const SessionOptions& options = {});

}  // namespace mhe

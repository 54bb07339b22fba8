// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Predicting with a model: a session is kept and takes batches; one row is the batch of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <mhe/ids.h>
#include <mhe/input.h>
#include <mhe/model.h>

namespace mhe {

class Context;

/// The widest beam there is: beyond any number of groups.
inline constexpr std::size_t kMaxBeam = 1'000'000;

/// What a call asks for.
struct PredictOptions {
  std::size_t k = 5;  ///< labels per row, at most
  /// Only labels of at least this probability.
  float threshold = 0;
  /// Only these labels, ascending; empty: all. The search goes as deep as it takes to find k of
  /// them.
  std::span<const LabelId> allowed = {};
  /// From 0 to 1: how much rare labels are favoured. Labels rank by probability times
  /// (1 / propensity)^tail, where the propensity follows from a label's training rows; this trades
  /// P@k for PSP@k. Probabilities stay what they are, so they need not fall along the list.
  double tail = 0;
  /// How many nodes of each level a cascade follows, up to 1,000,000; 0: as many as the model was
  /// trained to. More find better labels and take longer. Other heads have no beam: they refuse any
  /// but 0.
  std::size_t beam = 0;
  std::size_t sets = 0;  ///< also this many of the most probable sets of labels; powersets only
  bool choices = false;  ///< also what each head chose by itself
};

/// What was found for the rows of a batch.
class Predictions {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  /// The labels of a row, best first, equal ones by the smaller id.
  [[nodiscard]] std::span<const ScoredLabel> operator[](std::size_t row) const noexcept;
  /// The most probable sets of labels of a row, best first. Their probabilities are calibrated if
  /// the model was trained with validation rows.
  [[nodiscard]] std::span<const LabelSet> sets(std::size_t row) const noexcept;
  /// What each head of the first member chose by itself for a row: digits of product heads, nodes
  /// of the levels of a cascade. None of other heads.
  [[nodiscard]] std::span<const std::uint32_t> choices(std::size_t row) const noexcept;
  /// Probability that the product heads of the first member gave to phantoms.
  [[nodiscard]] double phantom_mass(std::size_t row) const noexcept;

 private:
  friend class Session;
  void clear() noexcept;
  void append(const Predictions& other);

  std::vector<std::size_t> ends_;  // [row]: of its labels
  std::vector<ScoredLabel> labels_;
  std::vector<std::vector<LabelSet>> sets_;
  std::vector<std::vector<std::uint32_t>> choices_;
  std::vector<double> phantom_mass_;
};

/// Predicts with a model and holds the memory that takes, so one for each thread that calls.
/// Allocates nothing once it has seen the largest batch. Keeps the model alive.
///
/// What a call gives is valid until the next one. Sparse rows are scaled to length 1 by the model,
/// and features it does not know are ignored. All functions throw kInvalidArgument for options out
/// of range and for rows that the model does not take: of another kind, another number of fields or
/// numbers, features that do not ascend, values that are not finite.
class Session {
 public:
  /// Works on the calling thread.
  explicit Session(const Model& model);
  /// Works on all threads of the context, which must outlive it. The results are the same.
  Session(const Model& model, const Context& context);
  ~Session();
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;

  [[nodiscard]] const Predictions& predict(const InputBatch& batch,
                                           const PredictOptions& options = {});

  /// For a document of one text field.
  [[nodiscard]] std::span<const ScoredLabel> predict(std::string_view text,
                                                     const PredictOptions& options = {});
  /// For a document with a text for each field of the model.
  [[nodiscard]] std::span<const ScoredLabel> predict(std::span<const std::string_view> fields,
                                                     const PredictOptions& options = {});
  [[nodiscard]] std::span<const ScoredLabel> predict(const SparseRow& row,
                                                     const PredictOptions& options = {});
  [[nodiscard]] std::span<const ScoredLabel> predict(DenseRow row,
                                                     const PredictOptions& options = {});

  /// Throws kInvalidArgument unless the model can do what the options ask for.
  void check(const PredictOptions& options) const;
  [[nodiscard]] const Model& model() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// How often each head of the first member is right by itself: the best digit of a product head,
/// the best node of a level of a cascade.
class HeadAccuracy {
 public:
  explicit HeadAccuracy(const Model& model);
  ~HeadAccuracy();
  HeadAccuracy(HeadAccuracy&& other) noexcept;
  HeadAccuracy& operator=(HeadAccuracy&& other) noexcept;

  /// Adds a row of these labels, and what Predictions has of its heads.
  void add(std::span<const LabelId> truth, std::span<const std::uint32_t> choices,
           double phantom_mass = 0);

  /// [head]: the share of rows for which it chose the digit of one of their labels, or one of them
  /// or an ancestor of one, of the rows with labels that the model knows. None for heads that
  /// choose nothing on the way to a label: one-hot and sampling.
  [[nodiscard]] std::vector<double> shares() const;
  /// Mean probability that product heads gave to phantoms.
  [[nodiscard]] std::optional<double> phantom_mass() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;  // none: heads without choices
};

}  // namespace mhe

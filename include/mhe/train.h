// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Training a model from rows in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/ids.h>
#include <mhe/model.h>

namespace mhe {

/// Rows to learn from, all texts or all vectors, with labels that are all names or all numbers.
/// Everything is copied as it comes. A row may have no labels; a label named twice in a row counts
/// once. All add() throw kInvalidArgument for a row that does not fit, and the row is then not
/// there.
class TrainingRows {
 public:
  /// Rows of texts, one for each named field; what the fields are called is what Model::text_fields
  /// tells later. Throws kInvalidArgument without fields or with two of one name.
  [[nodiscard]] static TrainingRows of_texts(std::vector<std::string> fields = {"text"});
  /// Rows of sparse vectors. `num_features` 0: as many as occur; else a higher feature is an error.
  [[nodiscard]] static TrainingRows of_vectors(std::size_t num_features = 0);

  /// Rows of dense vectors, of `width` numbers each.
  [[nodiscard]] static TrainingRows of_dense_vectors(std::size_t width);

  ~TrainingRows();
  TrainingRows(TrainingRows&& other) noexcept;
  TrainingRows& operator=(TrainingRows&& other) noexcept;

  /// A text for each field.
  void add(std::span<const std::string_view> texts, std::span<const std::string_view> labels);
  void add(std::span<const std::string_view> texts, std::span<const LabelId> labels);
  /// The same for rows of a single field.
  void add(std::string_view text, std::initializer_list<std::string_view> labels);
  /// Features ascending, values finite.
  void add(const SparseRow& input, std::span<const std::string_view> labels);
  void add(const SparseRow& input, std::span<const LabelId> labels);

  /// As many finite numbers as a row has.
  void add(std::span<const float> vector, std::span<const std::string_view> labels);
  void add(std::span<const float> vector, std::span<const LabelId> labels);

  [[nodiscard]] std::size_t size() const noexcept;

 private:
  friend struct TrainingRowsAccess;  // the library's side, in src/train
  struct Impl;
  explicit TrainingRows(std::unique_ptr<Impl> impl) noexcept;

  std::unique_ptr<Impl> impl_;
};

/// What a user sets; the rest follows from the data. docs/train.md says what the presets are. What
/// is not given is as the preset has it.
struct TrainOptions {
  std::string preset = "default";  ///< fast, default or best
  std::uint64_t seed = 1;          ///< the same seed and rows: the same model, for any threads
  std::size_t threads = 0;         ///< 0: one per core
  /// linear; bag: a learned embedding of texts or sparse vectors; dense: of dense ones. Empty:
  /// dense for these, else linear.
  std::string encoder = {};
  std::optional<std::string> head = {};  ///< cascade or onehot; learned encoders: docs/learned.md
  std::vector<std::uint32_t> lengths = {};          ///< of the heads of the cascade; empty: by rule
  std::optional<std::size_t> ensemble = {};         ///< so many cascades, averaged
  std::optional<std::size_t> min_label_count = {};  ///< labels of fewer rows are left out
  std::optional<double> held_out = {};     ///< share of rows for calibration; 0: no calibration
  const TrainingRows* valid = nullptr;     ///< rows for calibration in place of held-out ones
  std::optional<std::size_t> dim = {};     ///< learned encoders: width of the features
  std::optional<std::size_t> epochs = {};  ///< learned encoders: passes over the rows
  bool resume = false;                     ///< go on where an interrupted run stopped; needs a path
};

/// A model, and what training did.
struct Trained {
  Model model;
  std::size_t num_rows = 0;
  std::size_t num_trimmed_labels = 0;  ///< left out by min_label_count
  std::size_t num_judged_rows = 0;     ///< held out, or those of `valid`
  /// P@1, P@3, P@5 on them, in per cent; empty if there are none.
  std::vector<double> precision = {};
};

/// Trains and writes the model to `path`, atomically; the model returned is mapped from there.
///
/// Throws Error: kInvalidArgument for options that cannot be, kInvalidData for rows that nothing
/// can be learnt from, kIo. Beside the rows, memory is that of their features (8 bytes a
/// non-zero), twice, and of the model. A long training of the linear encoder keeps what is finished
/// in `path`.resume.
[[nodiscard]] Trained train_model(const TrainingRows& rows, const TrainOptions& options,
                                  const std::string& path);

/// The same without a file that stays: the model lies in an unnamed one in the directory for
/// temporary files, which goes with the last copy of the model.
[[nodiscard]] Trained train_model(const TrainingRows& rows, const TrainOptions& options = {});

}  // namespace mhe

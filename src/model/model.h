// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What trained models of every kind have beside their weights: label names and counts, the
// vocabulary of their text, what their scores are worth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <mhe/ids.h>
#include <mhe/plan.h>

#include "data/reader.h"
#include "labels/names.h"
#include "matrix/feature_weights.h"
#include "metrics/calibration.h"
#include "model/model_file.h"
#include "model/model_file_writer.h"
#include "text/vectorizer.h"

namespace mhe::model {

/// What training hands over to be written beside weights.
struct TrainedParts {
  const labels::LabelNames& names;
  std::size_t num_features = 0;
  const text::Vectorizer* vectorizer = nullptr;  ///< none: the input is vectors
  FeatureWeightsView feature_weights = {};       ///< of sparse vectors
  metrics::Calibration calibration = {};
  std::uint64_t training_rows = 0;
  std::span<const std::uint32_t> label_counts = {};  ///< training rows of each label
  std::string options_json = {};                     ///< how it was trained
};

/// Writes the parts of a model in two steps, its weights between them. Lives until the writer has
/// committed.
class PartsWriter {
 public:
  PartsWriter(ModelFileWriter& writer, const TrainedParts& parts);
  /// Names and counts of the labels.
  void add_labels();
  /// The rest. `card` has what the kind of the model adds to the card.
  void finish(std::string_view kind, const nlohmann::ordered_json& card);

 private:
  ModelFileWriter& writer_;
  const TrainedParts& parts_;
  Strings names_;
};

/// A model as it lies in its file. Immutable; many threads may use one.
class Model {
 public:
  /// A model of whichever kind the file holds. Throws kNotFound, kIo, or kInvalidData with the
  /// reason if the file is not a sound model.
  [[nodiscard]] static std::unique_ptr<const Model> open(const std::string& path);
  [[nodiscard]] static std::unique_ptr<const Model> make(ModelFile file);

  virtual ~Model() = default;

  [[nodiscard]] std::size_t num_labels() const noexcept { return num_labels_; }
  [[nodiscard]] std::size_t num_features() const noexcept { return num_features_; }
  [[nodiscard]] std::string label_name(LabelId label) const;
  /// The names as a dictionary that test data can be read with.
  [[nodiscard]] labels::LabelNames label_names() const;
  /// What the model takes: text if it has a vocabulary, else vectors of one kind.
  [[nodiscard]] InputKind input_kind() const noexcept { return input_kind_; }
  [[nodiscard]] const text::Vectorizer* vectorizer() const noexcept {
    return vectorizer_ ? &*vectorizer_ : nullptr;
  }
  /// How much the values of sparse vectors count.
  [[nodiscard]] const FeatureWeightsView& feature_weights() const noexcept {
    return feature_weights_;
  }
  /// How labels are coded. A linear cascade of one level is one-hot.
  [[nodiscard]] virtual HeadKind head_kind() const noexcept = 0;
  /// From the members' mean score to a probability.
  [[nodiscard]] const metrics::Calibration& calibration() const noexcept { return calibration_; }
  [[nodiscard]] std::uint64_t training_rows() const noexcept { return training_rows_; }
  /// Training rows of each label.
  [[nodiscard]] std::span<const std::uint32_t> label_counts() const noexcept {
    return label_counts_;
  }
  [[nodiscard]] const ModelFile& file() const noexcept { return file_; }

 protected:
  /// Looks at the header and the sizes of the tensors. Throws kInvalidData if the file is not of
  /// this kind.
  Model(ModelFile file, std::string_view kind);
  Model(Model&&) noexcept = default;
  Model& operator=(Model&&) noexcept = default;

  /// The model card. Throws kInvalidData if it is no JSON object.
  [[nodiscard]] nlohmann::json card() const;
  [[noreturn]] void refuse_card(const std::exception& error) const;
  void set_input_kind(InputKind kind) noexcept { input_kind_ = kind; }

 private:
  void load_card(std::string_view kind);
  void load_labels();
  void load_calibration();
  void load_vectorizer();
  void load_feature_weights();

  ModelFile file_;
  std::size_t num_labels_ = 0;
  std::size_t num_numbered_ = 0;
  std::size_t num_features_ = 0;
  std::uint64_t training_rows_ = 0;
  StringsView names_;
  std::span<const std::uint32_t> label_counts_;
  metrics::Calibration calibration_;
  std::optional<text::Vectorizer> vectorizer_;
  FeatureWeightsView feature_weights_;
  InputKind input_kind_ = InputKind::kSparse;
};

}  // namespace mhe::model

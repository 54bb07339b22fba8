// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A label space, a description of the input, members, and the calibration of their scores: a model
// as one value, and its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <mhe/dataset.h>
#include <mhe/ids.h>
#include <mhe/label_space.h>
#include <mhe/plan.h>

#include "matrix/feature_weights.h"
#include "metrics/row_calibration.h"
#include "model/member.h"
#include "model/model_file.h"
#include "text/vectorizer.h"

namespace mhe::model {

/// What training hands over to be written beside weights.
struct TrainedParts {
  const LabelNames& names;
  std::size_t num_features = 0;
  const text::Vectorizer* vectorizer = nullptr;  ///< none: the input is vectors
  FeatureWeightsView feature_weights = {};       ///< of sparse vectors
  metrics::RowCalibration calibration = {};
  std::uint64_t training_rows = 0;
  std::span<const std::uint32_t> label_counts = {};  ///< training rows of each label
  DataLayout layout = {};         ///< of the training data; format kAuto: not known
  std::string options_json = {};  ///< how it was trained: what options were used
  std::string command_json = {};  ///< what was asked for, to train it again; empty: not known
  MemberSpan members = {};
};

/// Writes a model file; atomic. Throws kIo.
void write_model(const std::string& path, const TrainedParts& parts);

/// A model as it lies in its file. Immutable; many threads may use one.
class Model {
 public:
  /// Throws kNotFound, kIo, or kInvalidData with the reason if the file is not a sound model.
  [[nodiscard]] static std::unique_ptr<const Model> open(const std::string& path);
  explicit Model(ModelFile file);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  [[nodiscard]] std::size_t num_labels() const noexcept { return num_labels_; }
  [[nodiscard]] std::size_t num_features() const noexcept { return num_features_; }
  [[nodiscard]] std::string label_name(LabelId label) const;
  /// The names as a dictionary that test data can be read with; made when it is first asked for.
  [[nodiscard]] const LabelNames& label_names() const;
  /// What the model takes: text if it has a vocabulary, else vectors of its members' kind.
  [[nodiscard]] InputKind input_kind() const noexcept { return input_kind_; }
  [[nodiscard]] const text::Vectorizer* vectorizer() const noexcept {
    return vectorizer_ ? &*vectorizer_ : nullptr;
  }
  /// Names of the text fields; none if the model takes vectors.
  [[nodiscard]] std::vector<std::string> text_fields() const;
  /// How the training data was laid out; format kAuto: the file does not say.
  [[nodiscard]] const DataLayout& layout() const noexcept { return layout_; }
  /// How much the values of sparse vectors count.
  [[nodiscard]] const FeatureWeightsView& feature_weights() const noexcept {
    return feature_weights_;
  }
  /// At least one; all take the same input.
  [[nodiscard]] MemberSpan members() const noexcept { return member_span_; }
  /// How labels are coded: that of a member with a beam, if there is one, else of the first.
  [[nodiscard]] HeadKind head_kind() const noexcept;
  [[nodiscard]] bool predicts_sets() const noexcept;
  /// From the members' mean scores to probabilities.
  [[nodiscard]] const metrics::RowCalibration& calibration() const noexcept { return calibration_; }
  [[nodiscard]] std::uint64_t training_rows() const noexcept { return training_rows_; }
  /// Training rows of each label.
  [[nodiscard]] std::span<const std::uint32_t> label_counts() const noexcept {
    return label_counts_;
  }
  [[nodiscard]] const ModelFile& file() const noexcept { return file_; }

 private:
  void load_card(const nlohmann::json& card);
  void load_labels();
  void load_calibration(const nlohmann::json& card);
  void load_vectorizer();
  void load_feature_weights(const nlohmann::json& card);
  void load_members(const nlohmann::json& card);

  ModelFile file_;
  std::size_t num_labels_ = 0;
  std::size_t num_numbered_ = 0;
  std::size_t num_features_ = 0;
  std::uint64_t training_rows_ = 0;
  StringsView names_;
  std::span<const std::uint32_t> label_counts_;
  metrics::RowCalibration calibration_;
  std::optional<text::Vectorizer> vectorizer_;
  DataLayout layout_;
  FeatureWeightsView feature_weights_;
  InputKind input_kind_ = InputKind::kSparse;
  Members members_;
  std::vector<const Member*> member_span_;
  mutable std::once_flag dictionary_made_;
  mutable LabelNames dictionary_;
};

}  // namespace mhe::model

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A trained linear model with everything needed to use it: label names, the vocabulary of its
// text, the weights of one cascade or of several whose scores are averaged. Written to one file,
// used mapped from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/ids.h>

#include "heads/neighbours.h"
#include "heads/sparse_cascade.h"
#include "labels/names.h"
#include "labels/order.h"
#include "metrics/calibration.h"
#include "model/model_file.h"
#include "text/vectorizer.h"

namespace mhe::model {

/// One cascade of a model. Of a single level, it is the one-hot classifier.
struct TrainedMember {
  labels::Order order;
  std::vector<heads::SparseLevel> levels;
  heads::BeamOptions search;
};

/// What training hands over to be written.
struct TrainedLinear {
  const labels::LabelNames& names;
  std::span<const TrainedMember> members;
  const heads::NeighbourIndex* neighbours = nullptr;  ///< none: their weight is 0
  float neighbour_weight = 0;
  std::size_t num_features = 0;
  const text::Vectorizer* vectorizer = nullptr;  ///< none: the input is sparse vectors
  metrics::Calibration calibration = {};
  std::uint64_t training_rows = 0;
  std::span<const std::uint32_t> label_counts = {};  ///< training rows of each label
  std::string options_json = {};                     ///< how it was trained
};

/// The label at every position of the tree, or 2^32 - 1 where there is none.
[[nodiscard]] std::vector<std::uint32_t> labels_by_position(const labels::Order& order);

/// Writes a model file; atomic. Throws kIo.
void write_linear(const std::string& path, const TrainedLinear& trained);

/// One cascade of a model as it lies in the file.
struct LinearMember {
  std::span<const std::uint32_t> label_at;  ///< by position; not checked: may be no label
  std::vector<heads::SparseLevelView> levels;
  heads::BeamOptions search;
};

/// All that scores labels.
struct Scorers {
  std::span<const LinearMember> members;
  heads::NeighbourMember neighbours = {};
};

/// A model as it lies in its file. Immutable; many threads may use one.
class LinearModel {
 public:
  /// Throws kNotFound, kIo, or kInvalidData with the reason if the file is not a sound model.
  [[nodiscard]] static LinearModel open(const std::string& path);
  /// Looks at the header and the sizes of the tensors; their contents are taken as they come, and
  /// if they are damaged predictions are wrong, but finite. ModelFile::verify() finds damage.
  explicit LinearModel(ModelFile file);

  [[nodiscard]] std::size_t num_labels() const noexcept { return num_labels_; }
  [[nodiscard]] std::size_t num_features() const noexcept { return num_features_; }
  [[nodiscard]] std::string label_name(LabelId label) const;
  /// The names as a dictionary that test data can be read with.
  [[nodiscard]] labels::LabelNames label_names() const;
  [[nodiscard]] const text::Vectorizer* vectorizer() const noexcept {
    return vectorizer_ ? &*vectorizer_ : nullptr;
  }
  /// At least one.
  [[nodiscard]] std::span<const LinearMember> members() const noexcept { return members_; }
  /// The members, and the neighbours if there are any.
  [[nodiscard]] Scorers scorers() const noexcept { return {members_, neighbours_}; }
  /// From the members' mean score to a probability.
  [[nodiscard]] const metrics::Calibration& calibration() const noexcept { return calibration_; }
  [[nodiscard]] std::uint64_t training_rows() const noexcept { return training_rows_; }
  /// Training rows of each label.
  [[nodiscard]] std::span<const std::uint32_t> label_counts() const noexcept {
    return label_counts_;
  }
  [[nodiscard]] const ModelFile& file() const noexcept { return file_; }

 private:
  void load_card();
  void load_labels();
  void load_calibration();
  void load_neighbours();
  [[nodiscard]] LinearMember load_member(std::size_t index) const;
  void check_level(const heads::SparseLevelView& level) const;

  ModelFile file_;
  std::size_t num_labels_ = 0;
  std::size_t num_numbered_ = 0;
  std::size_t num_features_ = 0;
  std::uint64_t training_rows_ = 0;
  StringsView names_;
  std::span<const std::uint32_t> label_counts_;
  std::vector<LinearMember> members_;
  heads::NeighbourMember neighbours_;
  metrics::Calibration calibration_;
  std::optional<text::Vectorizer> vectorizer_;
};

}  // namespace mhe::model

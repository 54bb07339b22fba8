// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A trained linear cascade with everything needed to use it: label names, the vocabulary of its
// text, the weights. Written to one file, used mapped from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/ids.h>

#include "heads/sparse_cascade.h"
#include "labels/names.h"
#include "labels/order.h"
#include "model/model_file.h"
#include "text/vectorizer.h"

namespace mhe::model {

/// What training hands over to be written.
struct TrainedCascade {
  const labels::LabelNames& names;
  const labels::Order& order;
  const std::vector<heads::SparseLevel>& levels;
  heads::BeamOptions search;
  std::size_t num_features = 0;
  const text::Vectorizer* vectorizer = nullptr;  ///< none: the input is sparse vectors
  std::string options_json;                      ///< how it was trained
};

/// Writes a model file; atomic. Throws kIo.
void write_cascade(const std::string& path, const TrainedCascade& trained);

/// A model as it lies in its file. Immutable; many threads may use one.
class CascadeModel {
 public:
  /// Throws kNotFound, kIo, or kInvalidData with the reason if the file is not a sound model.
  [[nodiscard]] static CascadeModel open(const std::string& path);

  [[nodiscard]] std::size_t num_labels() const noexcept { return num_labels_; }
  [[nodiscard]] std::size_t num_features() const noexcept { return num_features_; }
  [[nodiscard]] std::string label_name(LabelId label) const;
  /// The names as a dictionary that test data can be read with.
  [[nodiscard]] labels::LabelNames label_names() const;
  [[nodiscard]] const text::Vectorizer* vectorizer() const noexcept {
    return vectorizer_ ? &*vectorizer_ : nullptr;
  }
  [[nodiscard]] std::span<const heads::SparseLevelView> levels() const noexcept { return levels_; }
  [[nodiscard]] const heads::BeamOptions& search() const noexcept { return search_; }
  /// The label at a position that a search found.
  [[nodiscard]] LabelId label_at(std::uint64_t position) const noexcept {
    return LabelId{label_at_[position]};
  }
  [[nodiscard]] const ModelFile& file() const noexcept { return file_; }

 private:
  explicit CascadeModel(ModelFile file);
  void load_labels();
  void load_levels();
  void check_level(const heads::SparseLevelView& level) const;
  void check_present() const;

  ModelFile file_;
  std::size_t num_labels_ = 0;
  std::size_t num_numbered_ = 0;
  std::size_t num_features_ = 0;
  StringsView names_;
  std::span<const std::uint32_t> label_at_;  // by position; kNoLabel where there is none
  std::vector<heads::SparseLevelView> levels_;
  heads::BeamOptions search_;
  std::optional<text::Vectorizer> vectorizer_;
};

}  // namespace mhe::model

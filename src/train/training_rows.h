// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows that a caller of the library gathered, and what training makes of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/train.h>

#include "train/linear_options.h"
#include "train/training_set.h"

namespace mhe {

struct TrainingRows::Impl {
  std::vector<std::string> field_names;  // empty: vectors
  std::vector<Strings> texts;            // [field]
  SparseMatrix features;
  std::size_t most_features = 0;  // 0: as many as occur
  DenseMatrix dense;              // with columns: rows are dense vectors
  Ragged<LabelId> labels;
  labels::LabelNames names;
  std::optional<bool> are_numbered;  // the labels; none: there are none yet
};

struct TrainingRowsAccess {
  using Impl = TrainingRows::Impl;
  [[nodiscard]] static const Impl& impl(const TrainingRows& rows) noexcept { return *rows.impl_; }
};

namespace train {

/// The rows as a set to train on; text becomes vectors by `text` with fields by rule, and names of
/// labels rows of their own as `label_text` says: yes, no or auto.
[[nodiscard]] TrainingSet make_training_set(const Context& context, const TrainingRows& rows,
                                            text::VectorizerOptions text,
                                            std::string_view label_text = "no");

/// Other rows, made the way `set` was. Labels that it does not have get ids beyond its own.
[[nodiscard]] Examples make_more(const Context& context, const TrainingRows& rows,
                                 const TrainingSet& set);

}  // namespace train
}  // namespace mhe

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How predictions look: lines that `mhe metrics` reads back, JSON for machines, columns for people.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <mhe/model.h>

namespace mhe::app {

enum class PredictionForm {
  kLines,    ///< label:p label:p ...
  kJson,     ///< {"id": ..., "labels": [{"label": ..., "p": ...}, ...]}
  kColumns,  ///< a label a line: row, probability, name
};

/// A row to be shown.
struct PredictedRow {
  std::string id;  ///< its own, or its number
  bool has_id = false;
  std::span<const ScoredLabel> predictions;
};

/// The row in that form, its last line ended. `width` is that of the terminal, for kColumns.
[[nodiscard]] std::string format_predictions(const Model& model, const PredictedRow& row,
                                             PredictionForm form, std::size_t width);

/// Sets of labels for a row, in the same forms.
struct PredictedSets {
  std::string id;  ///< its own, or its number
  bool has_id = false;
  std::span<const LabelSet> sets;
};

/// kLines: sets with tabs between them, each its probability and then its labels, blanks between.
/// kJson: {"id": ..., "sets": [{"labels": [...], "p": ...}, ...]}. kColumns: a set a line.
[[nodiscard]] std::string format_sets(const Model& model, const PredictedSets& row,
                                      PredictionForm form, std::size_t width);

/// A label as it stands before the colon: as it is, or as a JSON string if it is empty, begins with
/// a quote, or holds blanks or control characters.
[[nodiscard]] std::string quote_label(std::string_view label);

}  // namespace mhe::app

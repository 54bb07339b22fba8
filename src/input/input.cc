// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "input/input.h"

#include <cmath>

#include "base/check.h"

namespace mhe {

std::string_view kind_name(InputKind kind) noexcept {
  switch (kind) {
    case InputKind::kSparse:
      return "sparse vectors";
    case InputKind::kDense:
      return "dense vectors";
    case InputKind::kText:
      return "text";
  }
  return "";
}

InputKind kind_of(const InputBatch& batch) noexcept {
  if (std::holds_alternative<SparseRows>(batch)) return InputKind::kSparse;
  return std::holds_alternative<DenseRows>(batch) ? InputKind::kDense : InputKind::kText;
}

std::size_t size_of(const InputBatch& batch) noexcept {
  if (const auto* sparse = std::get_if<SparseRows>(&batch)) return sparse->rows.size();
  if (const auto* dense = std::get_if<DenseRows>(&batch)) return dense->rows.size();
  const auto* text = std::get_if<TextRows>(&batch);
  return text->num_fields == 0 ? 0 : text->texts.size() / text->num_fields;
}

namespace input {

void check(const SparseRow& row) {
  require(row.columns.size() == row.values.size(), "{} features, but {} values", row.columns.size(),
          row.values.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    require(i == 0 || row.columns[i - 1] < row.columns[i],
            "feature {} follows feature {}; expected ascending ones", row.columns[i],
            row.columns[i == 0 ? 0 : i - 1]);
    require(std::isfinite(row.values[i]), "the value of feature {} is not finite", row.columns[i]);
  }
}

void check(DenseRow row) {
  for (const float value : row) require(std::isfinite(value), "a value that is not finite");
}

void check(const InputBatch& batch) {
  if (const auto* sparse = std::get_if<SparseRows>(&batch)) {
    for (const SparseRow& row : sparse->rows) check(row);
  } else if (const auto* dense = std::get_if<DenseRows>(&batch)) {
    for (const DenseRow row : dense->rows) check(row);
  } else {
    const auto& text = std::get<TextRows>(batch);
    require(text.num_fields > 0 && text.texts.size() % text.num_fields == 0,
            "{} texts are no documents of {} fields each", text.texts.size(), text.num_fields);
  }
}

}  // namespace input
}  // namespace mhe

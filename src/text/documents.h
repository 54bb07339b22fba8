// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <mhe/input.h>

#include "base/check.h"

namespace mhe::text {

/// Documents as rows of text fields, not owned: what it was made of must outlive it.
class Documents {
 public:
  /// A Strings for each field, all of the same number of rows, as RowBatch has them.
  explicit Documents(std::span<const Strings> fields)
      : num_fields_(fields.size()), rows_(fields.empty() ? 0 : fields[0].rows()), columns_(fields) {
    for (const Strings& field : fields) {
      require(field.rows() == rows_, "text fields of {} and {} rows in one batch", rows_,
              field.rows());
    }
  }
  /// Row after row, the fields of a row side by side.
  Documents(std::span<const std::string_view> texts, std::size_t num_fields)
      : num_fields_(num_fields),
        rows_(num_fields == 0 ? 0 : texts.size() / num_fields),
        texts_(texts) {
    require(rows_ * num_fields == texts.size(), "{} texts are no whole rows of {} fields",
            texts.size(), num_fields);
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t num_fields() const noexcept { return num_fields_; }
  /// Copies the fields of a row to `out`, which holds num_fields() of them.
  void get(std::size_t row, std::span<std::string_view> out) const noexcept {
    for (std::size_t i = 0; i < num_fields_; ++i) {
      out[i] = columns_.empty() ? texts_[row * num_fields_ + i] : string_at(columns_[i], row);
    }
  }

 private:
  std::size_t num_fields_;
  std::size_t rows_;
  std::span<const Strings> columns_;
  std::span<const std::string_view> texts_;
};

}  // namespace mhe::text

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which column of a table, or key of a JSON object, means what.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/dataset.h>

#include "data/line_blocks.h"

namespace mhe::data {

/// Positions in the list of names that choose_columns() was given.
struct ColumnChoice {
  std::vector<std::size_t> text;  ///< in the order of the fields
  std::optional<std::size_t> labels;
  std::optional<std::size_t> id;
};

/// Whether text columns must be found; kUnused: they are left out.
enum class TextColumns { kRequired, kOptional, kUnused };

/// Chooses by the options, and by well-known names where the options say nothing. `where` begins
/// messages; `noun` is "column" or "key". Throws kInvalidData if a named column does not exist, or
/// no text is found where it must be, and kInvalidArgument if a column is chosen twice.
[[nodiscard]] ColumnChoice choose_columns(const std::vector<std::string>& names,
                                          const ReadOptions& options, std::string_view where,
                                          std::string_view noun, TextColumns text);

/// Whether a text column of the options, or any column with a well-known name, is among `names`.
[[nodiscard]] bool has_known_column(const std::vector<std::string>& names,
                                    const ReadOptions& options);

/// The names of the chosen text columns.
[[nodiscard]] std::vector<std::string> text_names(const std::vector<std::string>& names,
                                                  const ColumnChoice& choice);

/// The fields of one record of a table, without its line end. Throws LineError.
[[nodiscard]] std::vector<std::string> split_record(std::string_view record, char separator,
                                                    LineRule rule);

}  // namespace mhe::data

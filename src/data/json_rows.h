// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON lines: one object a row.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/dataset.h>

#include "data/block_source.h"

namespace mhe::data {

/// Which keys mean what.
struct JsonLayout {
  InputKind kind = InputKind::kText;
  std::vector<std::string> text_keys;
  std::string label_key;        ///< empty: no labels
  std::string id_key;           ///< empty: no ids
  std::string label_separator;  ///< empty: a string is one label
  std::size_t dense_width = 0;
};

/// Finds the layout by the first rows of a file. Throws as choose_columns() does, and kInvalidData
/// if the first row is not a JSON object.
[[nodiscard]] JsonLayout find_json_layout(std::string_view probe, std::string_view name,
                                          const ReadOptions& options);

/// Empty lines are no rows.
[[nodiscard]] std::unique_ptr<BlockParser> make_json_parser(const JsonLayout& layout);

}  // namespace mhe::data

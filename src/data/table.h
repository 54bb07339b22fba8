// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// CSV (RFC 4180: quotes, line breaks inside them) and TSV (plain, no quotes).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/block_source.h"
#include "data/columns.h"

namespace mhe::data {

struct TableLayout {
  char separator = ',';
  LineRule rule = LineRule::kCsvQuotes;  ///< kPlain: no quotes
  std::size_t num_columns = 0;
  ColumnChoice columns;
  std::string label_separator;
};

/// Parses records; every one must have the layout's number of columns. Empty lines are no records.
[[nodiscard]] std::unique_ptr<BlockParser> make_table_parser(const TableLayout& layout);

/// The fields of one record, without its line end. Throws LineError.
[[nodiscard]] std::vector<std::string> split_record(std::string_view record, char separator,
                                                    LineRule rule);

}  // namespace mhe::data

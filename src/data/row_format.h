// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows as text: how each line-based format writes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/reader.h"
#include "data/writer.h"
#include "labels/names.h"

namespace mhe::data {

/// Writes rows of one format. Called from many threads at once, so it keeps no state.
class RowFormat {
 public:
  virtual ~RowFormat() = default;
  RowFormat(const RowFormat&) = delete;
  RowFormat& operator=(const RowFormat&) = delete;

  /// Appends row `row` of the batch, with its line end. Throws kInvalidData if it cannot be written
  /// in this format.
  virtual void append(const RowBatch& batch, std::size_t row, std::string& out) const = 0;
  /// What stands before the first row.
  [[nodiscard]] virtual std::string header() const { return {}; }

 protected:
  RowFormat() = default;
};

/// The shortest decimal number that reads back as the same float.
void append_float(float value, std::string& out);
void append_unsigned(std::uint64_t value, std::string& out);
/// A JSON string, with its quotes.
void append_json_string(std::string_view text, std::string& out);
/// Text on one line: line breaks, and tabs, become blanks.
void append_one_line(std::string_view text, std::string& out);

/// One JSON object a row.
[[nodiscard]] std::unique_ptr<RowFormat> make_jsonl_format(const Schema& schema,
                                                           const labels::LabelNames& names);

}  // namespace mhe::data

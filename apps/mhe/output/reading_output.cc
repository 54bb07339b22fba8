// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "output/reading_output.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mhe/model.h>

#include "output/units.h"

namespace mhe::app {
namespace {

std::string input_words(const Schema& schema) {
  if (schema.kind != InputKind::kText) return std::string(kind_name(schema.kind));
  if (schema.layout.text_columns.empty()) return "a text per line";
  std::vector<std::string> names;
  for (const std::string& name : schema.layout.text_columns) names.push_back(printable(name, 40));
  return fmt::format("text from {}", fmt::join(names, ", "));
}

}  // namespace

std::string separator_words(const std::string& separator) {
  if (separator == "\n") return "not split";
  if (separator == " ") return "separated by blanks";
  if (separator == "\t") return "separated by tabs";
  return fmt::format("separated by \"{}\"", printable(separator, 20));
}

std::string layout_words(const std::string& path, const Schema& schema) {
  const DataLayout& layout = schema.layout;
  std::string text = fmt::format("{}: {}; {}", path == "-" ? "standard input" : path,
                                 format_name(schema.format), input_words(schema));
  if (!schema.has_labels) return text + "; no labels";
  if (layout.label_column.empty() && layout.label_separator.empty()) return text;
  text += "; labels";
  if (!layout.label_column.empty()) text += " from " + printable(layout.label_column, 40);
  if (!layout.label_separator.empty()) text += ", " + separator_words(layout.label_separator);
  if (schema.separator_is_guess) text += " (a guess; --label-separator says otherwise)";
  return text;
}

std::string rows_words(const TrainReport& report, const std::string& valid) {
  const bool is_text = report.data.kind == InputKind::kText;
  const std::uint64_t held_out = valid.empty() ? report.validation_rows : 0;
  std::string text = fmt::format(
      "{}, {} without labels, {} without {}, {} left out; {} to train on, {} ",
      format_count(report.rows, "row"), format_count(report.read.unlabeled_rows),
      format_count(report.read.empty_rows), is_text ? "text" : "features",
      format_count(report.read.bad_lines.size(), "bad line"), format_count(report.rows - held_out),
      report.validation_rows == 0 ? "none" : format_count(report.validation_rows));
  return text + (valid.empty() ? "held out for validation" : "for validation from " + valid);
}

}  // namespace mhe::app

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// CSV (RFC 4180: quotes, line breaks inside them) and TSV (plain, no quotes).
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "base/check.h"
#include "data/columns.h"
#include "data/label_separator.h"
#include "data/label_text.h"
#include "data/line_error.h"
#include "data/open_format.h"

namespace mhe::data {
namespace {

// Walks over the fields of a record.
class Fields {
 public:
  Fields(std::string_view record, char separator, LineRule rule)
      : rest_(record), separator_(separator), rule_(rule) {}

  // The next field, unquoted into `scratch` if need be; false behind the last.
  bool next(std::string_view& field, std::string& scratch) {
    if (done_) return false;
    if (rule_ == LineRule::kCsvQuotes && rest_.starts_with('"')) {
      field = take_quoted(scratch);
      return true;
    }
    const std::size_t end = rest_.find(separator_);
    field = rest_.substr(0, end);
    if (rule_ == LineRule::kCsvQuotes && field.find('"') != std::string_view::npos) {
      fail_line("expected no quote inside a field that is not quoted, found {}",
                quote_found(field));
    }
    advance(end);
    return true;
  }

 private:
  std::string_view take_quoted(std::string& scratch) {
    const std::string_view whole = rest_;
    scratch.clear();
    rest_.remove_prefix(1);
    while (true) {
      const std::size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) {
        fail_line("expected a closing quote for the field {}", quote_found(whole));
      }
      scratch += rest_.substr(0, quote);
      rest_.remove_prefix(quote + 1);
      if (!rest_.starts_with('"')) break;
      scratch += '"';
      rest_.remove_prefix(1);
    }
    if (!rest_.empty() && rest_.front() != separator_) {
      fail_line("expected '{}' or the end of the line after a closing quote, found {}", separator_,
                quote_found(rest_));
    }
    advance(rest_.empty() ? std::string_view::npos : 0);
    return scratch;
  }

  void advance(std::size_t end) {
    done_ = end == std::string_view::npos;
    if (!done_) rest_.remove_prefix(end + 1);
  }

  std::string_view rest_;
  char separator_;
  LineRule rule_;
  bool done_ = false;
};

struct TableLayout {
  char separator = ',';
  LineRule rule = LineRule::kCsvQuotes;  // kPlain: no quotes
  std::size_t num_columns = 0;
  ColumnChoice columns = {};
  std::string label_separator = {};
  bool has_header = true;
};

// Parses records; every one must have the layout's number of columns. Empty lines are no records.
class TableParser final : public BlockParser {
 public:
  explicit TableParser(const TableLayout& layout) : layout_(layout) {
    roles_.resize(layout.num_columns);
    for (std::size_t field = 0; field < layout.columns.text.size(); ++field) {
      roles_[layout.columns.text[field]] = {Use::kText, field};
    }
    if (layout.columns.labels) roles_[*layout.columns.labels] = {Use::kLabels, 0};
    if (layout.columns.id) roles_[*layout.columns.id] = {Use::kId, 0};
  }

  void parse(std::string_view text, std::uint64_t max_bad, ParsedBlock& out) override {
    valid_utf8_ = simdjson::validate_utf8(text.data(), text.size());
    while (!text.empty()) {
      const std::size_t end =
          std::min(text.size(), end_of_first_line(text, layout_.rule, layout_.separator));
      std::string_view record = text.substr(0, end);
      text.remove_prefix(end);
      const auto lines = static_cast<std::uint64_t>(std::count(record.begin(), record.end(), '\n'));
      if (record.ends_with('\n')) record.remove_suffix(1);
      if (record.ends_with('\r')) record.remove_suffix(1);
      if (!record.empty()) {
        const RowMark mark(out);
        try {
          parse_record(record, out);
        } catch (const LineError& error) {
          if (!note_bad(mark, error.message, max_bad, out)) return;
        }
        ++out.source_rows;
      }
      out.lines += lines;
    }
  }

 private:
  enum class Use { kNothing, kText, kLabels, kId };
  struct Role {
    Use use = Use::kNothing;
    std::size_t field = 0;
  };

  void parse_record(std::string_view record, ParsedBlock& out) {
    if (!valid_utf8_) require_utf8(record);
    Fields fields(record, layout_.separator, layout_.rule);
    std::string_view value;
    std::size_t column = 0;
    while (fields.next(value, scratch_)) {
      if (column < roles_.size()) take(roles_[column], value, out);
      ++column;
    }
    if (column != layout_.num_columns) {
      fail_line("expected {} columns, found {}: {}", layout_.num_columns, column,
                quote_found(record));
    }
    if (layout_.columns.labels) out.end_label_row();
  }

  void take(const Role& role, std::string_view value, ParsedBlock& out) const {
    switch (role.use) {
      case Use::kNothing:
        break;
      case Use::kText:
        out.rows.text[role.field].push_row({value.data(), value.size()});
        break;
      case Use::kLabels:
        add_labels(value, layout_.label_separator, out);
        break;
      case Use::kId:
        out.rows.ids.push_row({value.data(), value.size()});
        break;
    }
  }

  TableLayout layout_;
  std::vector<Role> roles_;  // [column]
  std::string scratch_;
  bool valid_utf8_ = true;
};

// The fields of the first record that is no empty line, if they can be told apart.
std::vector<std::string> first_record(std::string_view text, const TableLayout& layout) {
  while (!text.empty()) {
    const std::size_t end = end_of_first_line(text, layout.rule, layout.separator);
    std::string_view record = text.substr(0, end);
    text.remove_prefix(record.size());
    if (record.ends_with('\n')) record.remove_suffix(1);
    if (record.ends_with('\r')) record.remove_suffix(1);
    if (record.empty()) continue;
    try {
      return split_record(record, layout.separator, layout.rule);
    } catch (const LineError&) {
      return {};  // reading it will say why
    }
  }
  return {};
}

// Names that the options expect a table without a header to have, if this may be one.
std::vector<std::string> expected_names(OpenRequest& request, const TableLayout& layout) {
  const std::vector<std::string>& names = request.options.expected.columns;
  if (names.empty()) return {};
  const std::vector<std::string> first = first_record(request.rows->peek(), layout);
  return first.size() == names.size() && first != names ? names : std::vector<std::string>();
}

// The names of the columns: given, or expected where there are as many, or in the first line.
std::vector<std::string> take_column_names(OpenRequest& request, TableLayout& layout) {
  layout.has_header = false;
  if (!request.options.columns.empty()) return request.options.columns;
  if (auto expected = expected_names(request, layout); !expected.empty()) return expected;
  layout.has_header = true;
  const std::string& name = request.rows->source().name();
  std::string header;
  while (header.empty()) {
    if (!request.rows->take_line(header)) {
      fail(ErrorCode::kInvalidData, "{} is empty, expected a header line", name);
    }
  }
  try {
    require_utf8(header);
    return split_record(header, layout.separator, layout.rule);
  } catch (const LineError& error) {
    fail(ErrorCode::kInvalidData, "{}:1: {}", name, error.message);
  }
}

// The field of a record, if there is such a record.
std::optional<std::string> field_of(std::string_view record, std::size_t wanted,
                                    const TableLayout& layout) {
  try {
    Fields fields(record, layout.separator, layout.rule);
    std::string_view value;
    std::string scratch;
    for (std::size_t column = 0; fields.next(value, scratch); ++column) {
      if (column == wanted) return std::string(value);
    }
  } catch (const LineError&) {
    // Reading it will say why.
  }
  return std::nullopt;
}

SeparatorGuess choose_cell_separator(OpenRequest& request, const TableLayout& layout,
                                     Format format) {
  return choose_label_separator(request.options, format, ",", [&](LabelSample& sample) {
    if (!layout.columns.labels) return;
    show_first_lines(*request.rows, layout.rule, layout.separator, [&](std::string_view record) {
      if (record.empty()) return true;
      if (const auto cell = field_of(record, *layout.columns.labels, layout)) sample.add(*cell);
      return !sample.is_full();
    });
  });
}

std::unique_ptr<Reader> open_table(OpenRequest request, TableLayout layout, Format format) {
  const std::string name = request.rows->source().name();
  require(request.labels == nullptr, "{} is a table, so a label file does not go with it", name);
  request.rows->set_rule(layout.rule, layout.separator);
  const std::vector<std::string> names = take_column_names(request, layout);
  layout.num_columns = names.size();
  layout.columns =
      choose_columns(names, request.options, name, "column",
                     request.options.labels_only ? TextColumns::kUnused : TextColumns::kRequired);
  const SeparatorGuess separator = choose_cell_separator(request, layout, format);
  layout.label_separator = separator.separator;
  BlockReaderOptions options;
  options.schema.format = format;
  options.schema.columns = names;
  options.schema.kind = InputKind::kText;
  options.schema.text_fields = text_names(names, layout.columns);
  options.schema.has_ids = layout.columns.id.has_value();
  options.schema.has_labels = layout.columns.labels.has_value();
  DataLayout& known = options.schema.layout;
  if (!layout.has_header) known.columns = names;
  known.text_columns = options.schema.text_fields;
  if (layout.columns.labels) {
    known.label_column = names[*layout.columns.labels];
    known.label_separator = separator.separator;
    options.schema.separator_is_guess = separator.is_found;
  }
  auto rows = make_text_source(request.context, std::move(request.rows),
                               [layout] { return std::make_unique<TableParser>(layout); },
                               {options.schema.text_fields.size(), request.options.skip_bad});
  return read_blocks(request, std::move(options), std::move(rows));
}

}  // namespace

std::vector<std::string> split_record(std::string_view record, char separator, LineRule rule) {
  std::vector<std::string> names;
  Fields fields(record, separator, rule);
  std::string_view value;
  std::string scratch;
  while (fields.next(value, scratch)) names.emplace_back(trim(value));
  return names;
}

std::unique_ptr<Reader> open_csv(OpenRequest request) {
  return open_table(std::move(request), {}, Format::kCsv);
}

std::unique_ptr<Reader> open_tsv(OpenRequest request) {
  return open_table(std::move(request), {.separator = '\t', .rule = LineRule::kPlain},
                    Format::kTsv);
}

}  // namespace mhe::data

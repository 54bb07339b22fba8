// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/check.h"
#include "data/block_reader.h"
#include "data/json_rows.h"
#include "data/label_text.h"
#include "data/line_error.h"
#include "data/open_format.h"
#include "data/table.h"

namespace mhe::data {
namespace {

// The names of the columns: given, or in the first line.
std::vector<std::string> take_column_names(OpenRequest& request, const TableLayout& layout) {
  if (!request.options.columns.empty()) return request.options.columns;
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

std::unique_ptr<Reader> open_table(OpenRequest request, TableLayout layout, Format format) {
  const std::string name = request.rows->source().name();
  require(request.labels == nullptr, "{} is a table, so a label file does not go with it", name);
  request.rows->set_rule(layout.rule, layout.separator);
  const std::vector<std::string> names = take_column_names(request, layout);
  layout.num_columns = names.size();
  layout.columns =
      choose_columns(names, request.options, name, "column",
                     request.options.labels_only ? TextColumns::kUnused : TextColumns::kRequired);
  layout.label_separator =
      request.options.label_separator.empty() ? "," : request.options.label_separator;
  BlockReaderOptions options;
  options.schema.format = format;
  options.schema.kind = InputKind::kText;
  options.schema.text_fields = text_names(names, layout.columns);
  options.schema.has_ids = layout.columns.id.has_value();
  options.schema.has_labels = layout.columns.labels.has_value();
  options.skip_bad = request.options.skip_bad;
  auto rows = make_text_source(request.context, std::move(request.rows),
                               [layout] { return make_table_parser(layout); },
                               {options.schema.text_fields.size(), options.skip_bad});
  return make_block_reader(request.context, request.names, options, std::move(rows), nullptr);
}

}  // namespace

std::unique_ptr<Reader> open_csv(OpenRequest request) {
  TableLayout layout;
  return open_table(std::move(request), layout, Format::kCsv);
}

std::unique_ptr<Reader> open_tsv(OpenRequest request) {
  TableLayout layout;
  layout.separator = '\t';
  layout.rule = LineRule::kPlain;
  return open_table(std::move(request), layout, Format::kTsv);
}

std::unique_ptr<Reader> open_jsonl(OpenRequest request) {
  const std::string name = request.rows->source().name();
  require(request.labels == nullptr,
          "{} has the labels in its rows, so a label file does not go "
          "with it",
          name);
  const JsonLayout layout = find_json_layout(request.rows->peek(), name, request.options);
  BlockReaderOptions options;
  options.schema.format = Format::kJsonl;
  options.schema.kind = layout.kind;
  options.schema.text_fields = layout.text_keys;
  options.schema.has_ids = !layout.id_key.empty();
  options.schema.has_labels = !layout.label_key.empty();
  if (layout.kind == InputKind::kDense) options.schema.declared_features = layout.dense_width;
  options.skip_bad = request.options.skip_bad;
  auto rows = make_text_source(request.context, std::move(request.rows),
                               [layout] { return make_json_parser(layout); },
                               {layout.text_keys.size(), options.skip_bad});
  return make_block_reader(request.context, request.names, options, std::move(rows), nullptr);
}

}  // namespace mhe::data

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON lines: one object a row.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/check.h"
#include "data/columns.h"
#include "data/label_separator.h"
#include "data/label_text.h"
#include "data/line_error.h"
#include "data/number.h"
#include "data/open_format.h"

namespace mhe::data {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr std::string_view kFeatureKey = "features";

std::string describe(element value) {
  return quote_found(simdjson::to_string(value));
}

// The object of a line. The bytes behind the line are readable: TextBlock::kPadding.
simdjson::dom::object parse_object(simdjson::dom::parser& parser, std::string_view line) {
  static_assert(TextBlock::kPadding >= simdjson::SIMDJSON_PADDING);
  element document;
  const auto error = parser.parse(line.data(), line.size(), false).get(document);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) {
    fail_line("expected a JSON object, found {} ({})", quote_found(line),
              simdjson::error_message(error));
  }
  simdjson::dom::object object;
  if (document.get(object) != simdjson::SUCCESS) {
    fail_line("expected a JSON object, found {}", quote_found(line));
  }
  return object;
}

// Which keys mean what.
struct JsonLayout {
  InputKind kind = InputKind::kText;
  std::vector<std::string> text_keys;
  std::string label_key;        // empty: no labels
  std::string id_key;           // empty: no ids
  std::string label_separator;  // kNoSeparator: a string is one label, as it is
  std::size_t dense_width = 0;
  std::vector<std::string> keys;  // of the first rows
};

// Empty lines are no rows.
class JsonParser final : public LineParser {
 public:
  explicit JsonParser(const JsonLayout& layout) : layout_(layout) {}

 protected:
  [[nodiscard]] bool is_row(std::string_view line) const override { return !trim(line).empty(); }

  void parse_line(std::string_view line, ParsedBlock& out) override {
    const simdjson::dom::object object = parse_object(parser_, line);
    for (std::size_t field = 0; field < layout_.text_keys.size(); ++field) {
      take_text(object, layout_.text_keys[field], out.rows.text[field]);
    }
    if (!layout_.label_key.empty()) take_labels(object, out);
    if (!layout_.id_key.empty()) take_id(object, out);
    if (layout_.kind == InputKind::kSparse) take_sparse(object, out);
    if (layout_.kind == InputKind::kDense) take_dense(object, out);
  }

 private:
  // A missing or null text is empty; several are joined by a blank.
  static void take_text(const simdjson::dom::object& object, const std::string& key, Strings& out) {
    element value;
    if (object.at_key(key).get(value) == simdjson::SUCCESS && !value.is_null()) {
      if (value.is_array()) {
        bool first = true;
        for (const element part : simdjson::dom::array(value)) {
          if (!first) out.items.push_back(' ');
          first = false;
          append_text(part, key, out);
        }
      } else {
        append_text(value, key, out);
      }
    }
    out.end_row();
  }

  static void append_text(element value, const std::string& key, Strings& out) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) {
      fail_line("expected a string for the key \"{}\", found {}", key, describe(value));
    }
    out.items.insert(out.items.end(), text.begin(), text.end());
  }

  void take_labels(const simdjson::dom::object& object, ParsedBlock& out) const {
    element value;
    if (object.at_key(layout_.label_key).get(value) == simdjson::SUCCESS) {
      if (value.is_array()) {
        for (const element label : simdjson::dom::array(value)) take_label(label, out);
      } else {
        take_label(value, out);
      }
    }
    out.end_label_row();
  }

  void take_label(element value, ParsedBlock& out) const {
    switch (value.type()) {
      case element_type::NULL_VALUE:
        return;
      case element_type::STRING: {
        const std::string_view text(value);
        if (layout_.label_separator != kNoSeparator) {
          add_labels(text, layout_.label_separator, out);
        } else if (!text.empty()) {
          out.add_label(text);
        }
        return;
      }
      case element_type::INT64:
        out.add_label(fmt::format("{}", std::int64_t(value)));
        return;
      case element_type::UINT64:
        out.add_label(fmt::format("{}", std::uint64_t(value)));
        return;
      case element_type::DOUBLE:
        out.add_label(fmt::format("{}", double(value)));
        return;
      default:
        fail_line("expected a label that is a string or a number, found {}", describe(value));
    }
  }

  void take_id(const simdjson::dom::object& object, ParsedBlock& out) const {
    element value;
    if (object.at_key(layout_.id_key).get(value) == simdjson::SUCCESS && !value.is_null()) {
      const std::string_view text =
          value.is_string() ? std::string_view(value) : std::string_view();
      const std::string number = value.is_string() ? "" : simdjson::to_string(value);
      if (value.is_array() || value.is_object()) {
        fail_line("expected an id that is a string or a number, found {}", describe(value));
      }
      const std::string_view id = value.is_string() ? text : std::string_view(number);
      out.rows.ids.items.insert(out.rows.ids.items.end(), id.begin(), id.end());
    }
    out.rows.ids.end_row();
  }

  static float take_number(element value) {
    double wide = 0;
    if (value.get(wide) != simdjson::SUCCESS) {
      fail_line("expected a number as a feature's value, found {}", describe(value));
    }
    const auto number = static_cast<float>(wide);
    if (!std::isfinite(number)) {
      fail_line("expected a finite number, found {}", describe(value));
    }
    return number;
  }

  static std::uint32_t take_index(element value) {
    std::uint64_t index = 0;
    if (value.get(index) != simdjson::SUCCESS ||
        index >= std::numeric_limits<std::uint32_t>::max()) {
      fail_line("expected a feature id from 0 to 4294967294, found {}", describe(value));
    }
    return static_cast<std::uint32_t>(index);
  }

  static void add_feature(std::uint32_t column, float value, SparseMatrix& out) {
    out.columns.push_back(column);
    out.values.push_back(value);
    out.num_columns = std::max<std::size_t>(out.num_columns, column + std::size_t{1});
  }

  // {"indices": [..], "values": [..]} or {"17": 0.5, ..}; none is an empty row.
  static void take_sparse(const simdjson::dom::object& object, ParsedBlock& out) {
    element value;
    if (object.at_key(kFeatureKey).get(value) == simdjson::SUCCESS && !value.is_null()) {
      simdjson::dom::object features;
      if (value.get(features) != simdjson::SUCCESS) {
        fail_line("expected an object of sparse features, found {}", describe(value));
      }
      simdjson::dom::array indices;
      simdjson::dom::array values;
      if (features.at_key("indices").get(indices) == simdjson::SUCCESS &&
          features.at_key("values").get(values) == simdjson::SUCCESS) {
        take_arrays(indices, values, out.rows.features);
      } else {
        take_members(features, out.rows.features);
      }
    }
    out.end_feature_row();
  }

  static void take_arrays(simdjson::dom::array indices, simdjson::dom::array values,
                          SparseMatrix& out) {
    if (indices.size() != values.size()) {
      fail_line("expected as many indices as values, found {} and {}", indices.size(),
                values.size());
    }
    auto value = values.begin();
    for (const element index : indices) {
      add_feature(take_index(index), take_number(*value), out);
      ++value;
    }
  }

  static void take_members(simdjson::dom::object features, SparseMatrix& out) {
    for (const auto& member : features) {
      std::uint32_t column = 0;
      const char* const end = member.key.data() + member.key.size();
      if (parse_uint32(member.key.data(), end, column) != end ||
          column == std::numeric_limits<std::uint32_t>::max()) {
        fail_line("expected a feature id from 0 to 4294967294, found {}", quote_found(member.key));
      }
      add_feature(column, take_number(member.value), out);
    }
  }

  void take_dense(const simdjson::dom::object& object, ParsedBlock& out) const {
    simdjson::dom::array values;
    if (object.at_key(kFeatureKey).get(values) != simdjson::SUCCESS) {
      fail_line("expected an array of {} numbers under \"features\"", layout_.dense_width);
    }
    out.rows.dense.num_columns = layout_.dense_width;
    std::size_t count = 0;
    for (const element value : values) {
      out.rows.dense.values.push_back(take_number(value));
      ++count;
    }
    if (count != layout_.dense_width) {
      fail_line("expected {} features as in the first row, found {}", layout_.dense_width, count);
    }
  }

  JsonLayout layout_;
  simdjson::dom::parser parser_;
};

// The keys of the first rows, in the order of their first appearance.
struct FirstRows {
  std::vector<std::string> keys;
  InputKind kind = InputKind::kText;  // by "features"
  std::size_t dense_width = 0;
};

void look_at_row(const simdjson::dom::object& row, FirstRows& found) {
  for (const auto& member : row) {
    const std::string key(member.key);
    if (std::find(found.keys.begin(), found.keys.end(), key) != found.keys.end()) continue;
    found.keys.push_back(key);
    if (key != kFeatureKey) continue;
    if (member.value.is_object()) found.kind = InputKind::kSparse;
    if (member.value.is_array()) {
      found.kind = InputKind::kDense;
      found.dense_width = simdjson::dom::array(member.value).size();
    }
  }
}

FirstRows look_at_rows(std::string_view probe, std::string_view name) {
  constexpr std::size_t kMaxRows = 100;
  FirstRows found;
  simdjson::dom::parser parser;
  std::size_t rows = 0;
  std::uint64_t line_number = 0;
  std::string padded;
  while (!probe.empty() && rows < kMaxRows) {
    const std::size_t length = std::min(probe.size(), probe.find('\n'));
    const std::string_view line = trim(probe.substr(0, length));
    const bool cut_off = length == probe.size();
    probe.remove_prefix(std::min(probe.size(), length + 1));
    ++line_number;
    if (line.empty() || line == "\r") continue;
    padded.assign(line);
    padded.resize(line.size() + TextBlock::kPadding);
    try {
      look_at_row(parse_object(parser, {padded.data(), line.size()}), found);
      ++rows;
    } catch (const LineError& error) {
      // Only what the first row is matters here; the parser will meet the others again.
      if (rows == 0 && !cut_off) {
        fail(ErrorCode::kInvalidData, "{}:{}: {}", name, line_number, error.message);
      }
    }
  }
  return found;
}

// What is missing is empty text, so one of several fields that are expected is enough.
void add_missing_text(const ReadOptions& options, std::vector<std::string>& keys) {
  const std::vector<std::string>& expected =
      options.expected.text_columns.empty() ? options.expected_text : options.expected.text_columns;
  const auto occurs = [&](const std::string& name) {
    return std::find(keys.begin(), keys.end(), name) != keys.end();
  };
  if (std::none_of(expected.begin(), expected.end(), occurs)) return;
  for (const std::string& name : expected) {
    if (!occurs(name)) keys.push_back(name);
  }
}

// Finds the layout by the first rows of a file. Throws as choose_columns() does, and kInvalidData
// if the first row is not a JSON object.
JsonLayout find_json_layout(std::string_view probe, std::string_view name,
                            const ReadOptions& options) {
  FirstRows found = look_at_rows(probe, name);
  add_missing_text(options, found.keys);
  JsonLayout layout;
  const bool names_text = !options.text_columns.empty() || !options.expected.text_columns.empty();
  layout.kind = names_text ? InputKind::kText : found.kind;
  const bool text = layout.kind == InputKind::kText;
  const TextColumns wanted = options.labels_only ? TextColumns::kUnused
                             : text              ? TextColumns::kRequired
                                                 : TextColumns::kOptional;
  const ColumnChoice choice = choose_columns(found.keys, options, name, "key", wanted);
  if (text) layout.text_keys = text_names(found.keys, choice);
  if (choice.labels) layout.label_key = found.keys[*choice.labels];
  if (choice.id) layout.id_key = found.keys[*choice.id];
  layout.keys = found.keys;
  layout.dense_width = found.dense_width;
  if (layout.kind == InputKind::kDense && layout.dense_width == 0) {
    fail(ErrorCode::kInvalidData, "{}: expected numbers under \"features\", found an empty array",
         name);
  }
  return layout;
}

// Adds the labels of a row that are a string; false if they are an array, which needs no splitting.
bool add_label_string(simdjson::dom::parser& parser, std::string_view line, const std::string& key,
                      LabelSample& sample) {
  std::string padded(line);
  padded.resize(line.size() + TextBlock::kPadding);
  try {
    element value;
    const auto object = parse_object(parser, {padded.data(), line.size()});
    if (object.at_key(key).get(value) != simdjson::SUCCESS) return true;
    if (value.is_string()) sample.add(std::string_view(value));
    return !value.is_array();
  } catch (const LineError&) {
    return true;  // reading it will say why
  }
}

SeparatorGuess choose_string_separator(OpenRequest& request, const std::string& label_key) {
  return choose_label_separator(
      request.options, Format::kJsonl, kNoSeparator, [&](LabelSample& sample) {
        if (label_key.empty()) return;
        bool has_arrays = false;
        simdjson::dom::parser parser;
        show_first_lines(*request.rows, LineRule::kPlain, ',', [&](std::string_view line) {
          if (trim(line).empty()) return true;
          has_arrays = !add_label_string(parser, line, label_key, sample);
          return !has_arrays && !sample.is_full();
        });
        if (has_arrays) sample = {};
      });
}

}  // namespace

std::unique_ptr<Reader> open_jsonl(OpenRequest request) {
  const std::string name = request.rows->source().name();
  refuse_label_file(request);
  JsonLayout layout = find_json_layout(request.rows->peek(), name, request.options);
  const SeparatorGuess separator = choose_string_separator(request, layout.label_key);
  layout.label_separator = separator.separator;
  BlockReaderOptions options;
  options.schema.format = Format::kJsonl;
  options.schema.kind = layout.kind;
  options.schema.text_fields = layout.text_keys;
  options.schema.has_ids = !layout.id_key.empty();
  options.schema.has_labels = !layout.label_key.empty();
  if (layout.kind == InputKind::kDense) options.schema.declared_features = layout.dense_width;
  options.schema.columns = layout.keys;
  DataLayout& known = options.schema.layout;
  known.text_columns = layout.text_keys;
  known.label_column = layout.label_key;
  if (!layout.label_key.empty()) {
    known.label_separator = separator.separator;
    options.schema.separator_is_guess = separator.is_found;
  }
  auto rows = make_text_source(request.context, std::move(request.rows),
                               [layout] { return std::make_unique<JsonParser>(layout); },
                               {layout.text_keys.size(), request.options.skip_bad});
  return read_blocks(request, std::move(options), std::move(rows));
}

}  // namespace mhe::data

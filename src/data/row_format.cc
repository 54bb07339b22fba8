// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/row_format.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace mhe::data {

void append_float(float value, std::string& out) {
  std::array<char, 32> digits;  // the longest float has 15 characters
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), result.ptr);
}

void append_unsigned(std::uint64_t value, std::string& out) {
  std::array<char, 20> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), result.ptr);
}

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_one_line(std::string_view text, std::string& out) {
  for (const char c : text) out += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
}

namespace {

class JsonlFormat final : public RowFormat {
 public:
  JsonlFormat(const Schema& schema, const labels::LabelNames& names)
      : schema_(schema), names_(names) {}

  void append(const RowBatch& batch, std::size_t row, std::string& out) const override {
    out += '{';
    if (schema_.has_ids) {
      out += "\"id\":";
      append_json_string(string_at(batch.ids, row), out);
    }
    if (schema_.has_labels) append_labels(batch.labels[row], out);
    if (schema_.kind == InputKind::kSparse) append_sparse(batch.features[row], out);
    if (schema_.kind == InputKind::kDense) append_dense(batch.dense[row], out);
    for (std::size_t field = 0; field < batch.text.size(); ++field) {
      append_key(schema_.text_fields[field], out);
      append_json_string(string_at(batch.text[field], row), out);
    }
    out += "}\n";
  }

 private:
  static void append_key(std::string_view key, std::string& out) {
    if (out.back() != '{') out += ',';
    append_json_string(key, out);
    out += ':';
  }

  template <class Items, class Append>
  static void append_array(const Items& items, std::string& out, Append&& append_item) {
    out += '[';
    bool first = true;
    for (const auto& item : items) {
      if (!first) out += ',';
      first = false;
      append_item(item);
    }
    out += ']';
  }

  // Labels called by their numbers stay numbers.
  void append_labels(std::span<const LabelId> labels, std::string& out) const {
    append_key("labels", out);
    append_array(labels, out, [&](LabelId label) {
      if (index_of(label) < names_.num_numbered()) {
        append_unsigned(index_of(label), out);
      } else {
        append_json_string(names_.name(label), out);
      }
    });
  }

  static void append_sparse(const SparseRow& features, std::string& out) {
    append_key("features", out);
    out += "{\"indices\":";
    append_array(features.columns, out, [&](std::uint32_t id) { append_unsigned(id, out); });
    out += ",\"values\":";
    append_array(features.values, out, [&](float value) { append_float(value, out); });
    out += '}';
  }

  static void append_dense(std::span<const float> values, std::string& out) {
    append_key("features", out);
    append_array(values, out, [&](float value) { append_float(value, out); });
  }

  Schema schema_;
  const labels::LabelNames& names_;
};

}  // namespace

std::unique_ptr<RowFormat> make_jsonl_format(const Schema& schema,
                                             const labels::LabelNames& names) {
  return std::make_unique<JsonlFormat>(schema, names);
}

}  // namespace mhe::data

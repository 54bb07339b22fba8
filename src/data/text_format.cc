// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "data/label_text.h"
#include "data/line_error.h"
#include "data/row_format.h"

namespace mhe::data {

namespace {

// A JSON string, with its quotes.
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

// Text of a format that holds one line a row: what would break the line becomes a blank. The
// changed texts are counted, so that a person can be told.
class OneLine {
 public:
  void append(std::string_view text, std::string& out) const {
    bool changed = false;
    for (const char c : text) {
      const bool breaks = c == '\n' || c == '\r' || c == '\t';
      changed = changed || breaks;
      out += breaks ? ' ' : c;
    }
    if (changed) ++num_changed_;
  }
  // All text fields of a row that are not empty, with a blank between them.
  void append_fields(const RowBatch& batch, std::size_t row, std::string& out) const {
    bool first = true;
    for (const Strings& field : batch.text) {
      const std::string_view text = string_at(field, row);
      if (text.empty()) continue;
      if (!first) out += ' ';
      first = false;
      append(text, out);
    }
  }
  [[nodiscard]] std::uint64_t num_changed() const noexcept { return num_changed_; }

 private:
  mutable std::atomic<std::uint64_t> num_changed_ = 0;  // a count: order does not matter
};

[[noreturn]] void fail_label(const std::string& name, std::string_view format,
                             std::string_view rule) {
  fail(ErrorCode::kInvalidData, "the label {} cannot be written in {}, {}", quote_found(name),
       format, rule);
}

// Label names with `separator` between them, if reading them back gives the same names.
void append_label_names(std::span<const LabelId> labels, const LabelNames& names,
                        const std::string& separator, std::string& out) {
  bool first = true;
  for (const LabelId label : labels) {
    const std::string name = names.name(label);
    const bool blanks = separator == " " && name.find_first_of(" \t") != std::string::npos;
    if (blanks || name.empty() || trim(name).size() != name.size() ||
        name.find(separator) != std::string::npos) {
      fail_label(name, fmt::format("a list separated by \"{}\"", separator),
                 "it would not read back as one label; choose another label separator");
    }
    if (name.find_first_of("\r\n") != std::string::npos) {
      fail_label(name, "one line", "it holds a line break");
    }
    if (!first) out += separator;
    first = false;
    out += name;
  }
}

class JsonlFormat final : public RowFormat {
 public:
  JsonlFormat(const Schema& schema, const LabelNames& names) : schema_(schema), names_(names) {}

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
  const LabelNames& names_;
};

class FastTextFormat final : public RowFormat {
 public:
  FastTextFormat(const LabelNames& names, std::string prefix)
      : names_(names), prefix_(std::move(prefix)) {}

  void append(const RowBatch& batch, std::size_t row, std::string& out) const override {
    const std::size_t begin = out.size();
    if (batch.labels.rows() > 0) {
      for (const LabelId label : batch.labels[row]) append_label(names_.name(label), out);
    }
    const std::size_t text_begin = out.size();
    text_.append_fields(batch, row, out);
    if (out.find(prefix_, text_begin) != std::string::npos) {
      fail(ErrorCode::kInvalidData,
           "the text {} holds \"{}\", which would read back as a label; choose another "
           "label prefix",
           quote_found(std::string_view(out).substr(text_begin)), prefix_);
    }
    if (out.size() == begin) out += ' ';  // an empty line would be no row
    out += '\n';
  }
  [[nodiscard]] std::uint64_t num_changed_texts() const override { return text_.num_changed(); }

 private:
  void append_label(const std::string& name, std::string& out) const {
    if (name.empty() || name.find_first_of(" \t\r\n") != std::string::npos) {
      fail_label(name, "fastText", "whose labels have no blank in them");
    }
    out += prefix_;
    out += name;
    out += ' ';
  }

  const LabelNames& names_;
  std::string prefix_;
  OneLine text_;
};

class TextLineFormat final : public RowFormat {
 public:
  void append(const RowBatch& batch, std::size_t row, std::string& out) const override {
    text_.append_fields(batch, row, out);
    out += '\n';
  }
  [[nodiscard]] std::uint64_t num_changed_texts() const override { return text_.num_changed(); }

 private:
  OneLine text_;
};

class LabelLineFormat final : public RowFormat {
 public:
  LabelLineFormat(const LabelNames& names, std::string separator)
      : names_(names), separator_(std::move(separator)) {}

  void append(const RowBatch& batch, std::size_t row, std::string& out) const override {
    append_label_names(batch.labels[row], names_, separator_, out);
    out += '\n';
  }

 private:
  const LabelNames& names_;
  std::string separator_;
};

class TableFormat final : public RowFormat {
 public:
  TableFormat(const Schema& schema, const LabelNames& names, Format format,
              std::string label_separator)
      : schema_(schema),
        names_(names),
        csv_(format == Format::kCsv),
        label_separator_(std::move(label_separator)) {}

  [[nodiscard]] std::string header() const override {
    std::string line;
    if (schema_.has_ids) append_cell("id", line);
    if (schema_.has_labels) append_cell("labels", line);
    for (const std::string& field : schema_.text_fields) append_cell(field, line);
    end_record(0, line);
    return line;
  }

  void append(const RowBatch& batch, std::size_t row, std::string& out) const override {
    const std::size_t begin = out.size();
    if (schema_.has_ids) append_cell(string_at(batch.ids, row), out);
    if (schema_.has_labels) {
      std::string cell;
      append_label_names(batch.labels[row], names_, label_separator_, cell);
      if (!csv_ && cell.find('\t') != std::string::npos) {
        fail_label(cell, "TSV", "it holds a tab");
      }
      append_cell(cell, out);
    }
    for (const Strings& field : batch.text) append_cell(string_at(field, row), out);
    end_record(begin, out);
  }
  [[nodiscard]] std::uint64_t num_changed_texts() const override { return text_.num_changed(); }

 private:
  // Every cell is followed by a separator; end_record() turns the last one into the line end.
  void append_cell(std::string_view cell, std::string& out) const {
    if (!csv_) {
      text_.append(cell, out);
      out += '\t';
      return;
    }
    const bool quoted = cell.find_first_of(",\"\r\n") != std::string_view::npos;
    if (quoted) out += '"';
    for (const char c : cell) {
      if (c == '"') out += '"';
      out += c;
    }
    if (quoted) out += '"';
    out += ',';
  }

  // A record that is one empty cell would be an empty line, which is no record.
  void end_record(std::size_t begin, std::string& out) const {
    out.back() = '\n';
    if (out.size() == begin + 1) out.insert(begin, csv_ ? "\"\"" : " ");
  }

  Schema schema_;
  const LabelNames& names_;
  bool csv_;
  std::string label_separator_;
  OneLine text_;
};

}  // namespace

std::unique_ptr<RowFormat> make_jsonl_format(const Schema& schema, const LabelNames& names) {
  return std::make_unique<JsonlFormat>(schema, names);
}

std::unique_ptr<RowFormat> make_fasttext_format(const LabelNames& names, std::string prefix) {
  return std::make_unique<FastTextFormat>(names, std::move(prefix));
}

std::unique_ptr<RowFormat> make_text_line_format() {
  return std::make_unique<TextLineFormat>();
}

std::unique_ptr<RowFormat> make_label_line_format(const LabelNames& names, std::string separator) {
  return std::make_unique<LabelLineFormat>(names, std::move(separator));
}

std::unique_ptr<RowFormat> make_table_format(const Schema& schema, const LabelNames& names,
                                             Format format, std::string label_separator) {
  return std::make_unique<TableFormat>(schema, names, format, std::move(label_separator));
}

}  // namespace mhe::data

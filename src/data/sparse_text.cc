// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The sparse text formats: XMC in one file and in two, and svmlight.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <simdjson.h>

#include "base/check.h"
#include "data/line_error.h"
#include "data/number.h"
#include "data/open_format.h"

namespace mhe::data {
namespace {

// What ids of features (or of labels, in a label matrix) may be.
struct IdRange {
  std::uint32_t base = 0;              // subtracted from every id
  std::optional<std::uint64_t> count;  // by a header: ids are below it, after subtraction
  bool base_is_given = false;          // else a hint speaks of the index base
};

bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t';
}

// The part of a line not parsed yet.
struct Cursor {
  const char* at;
  const char* end;

  explicit Cursor(std::string_view line) : at(line.data()), end(line.data() + line.size()) {}
  [[nodiscard]] std::string_view rest() const { return {at, static_cast<std::size_t>(end - at)}; }
  void skip_blanks() {
    while (at != end && is_blank(*at)) ++at;
  }
};

[[noreturn]] void fail_pair(std::string_view rest) {
  const std::string_view token = rest.substr(0, rest.find_first_of(" \t"));
  const std::size_t colon = token.find(':');
  const std::string found = quote_found(token);
  if (colon == std::string_view::npos) fail_line("expected feature:value, found {}", found);
  const std::string_view id = token.substr(0, colon);
  std::uint32_t number = 0;
  const char* const id_end = parse_uint32(id.data(), id.data() + id.size(), number);
  if (id_end == nullptr && !id.empty() && std::all_of(id.begin(), id.end(), is_digit)) {
    fail_line("expected a feature id below 4294967295, found {}", found);
  }
  if (id_end != id.data() + id.size()) {
    fail_line("expected an unsigned feature id before the colon, found {}", found);
  }
  fail_line("expected a finite number after the colon, found {}", found);
}

[[noreturn]] void fail_id_range(std::string_view what, std::uint32_t id, const IdRange& range) {
  if (id < range.base) fail_line("expected ids from {}, found {} {}", range.base, what, id);
  const std::uint64_t count = range.count.value_or(std::numeric_limits<std::uint32_t>::max());
  if (!range.count) fail_line("expected ids below {}, found {} {}", count, what, id);
  const bool hint = !range.base_is_given && id == count;
  fail_line("{} {} is out of range; the header declares {} {}s, {} to {}{}", what, id, count, what,
            range.base, count + range.base - 1,
            hint ? " (if ids count from 1, give index base 1)" : "");
}

// Ids below this are allowed: what a header declares, and no more than ids can count.
std::uint64_t limit_of(const IdRange& range) {
  return range.count.value_or(std::numeric_limits<std::uint32_t>::max());
}

// Appends all "id:value" pairs up to the end of the line.
void parse_pairs(Cursor& cursor, const IdRange& range, SparseMatrix& out) {
  const std::uint64_t limit = limit_of(range);
  while (true) {
    cursor.skip_blanks();
    if (cursor.at == cursor.end) return;
    std::uint32_t id = 0;
    float value = 0;
    const char* at = parse_uint32(cursor.at, cursor.end, id);
    if (at == nullptr || at == cursor.end || *at != ':') fail_pair(cursor.rest());
    at = parse_float(at + 1, cursor.end, value);
    if (at == nullptr || (at != cursor.end && !is_blank(*at))) fail_pair(cursor.rest());
    const std::uint32_t column = id - range.base;  // wraps below the base, which the limit catches
    if (column >= limit || id < range.base) fail_id_range("feature", id, range);
    out.columns.push_back(column);
    out.values.push_back(value);
    cursor.at = at;
  }
}

void end_features(ParsedBlock& out) {
  out.end_feature_row();
  SparseMatrix& matrix = out.rows.features;
  if (matrix.offsets.back() > matrix.offsets[matrix.rows() - 1]) {
    matrix.num_columns = std::max<std::size_t>(matrix.num_columns, matrix.columns.back() + 1U);
  }
}

// Whether the line begins with labels: it does not begin with a blank, and its first token has no
// colon.
bool begins_with_labels(std::string_view line) {
  if (line.empty() || is_blank(line.front())) return false;
  for (const char c : line) {
    if (c == ':') return false;
    if (is_blank(c)) return true;
  }
  return true;
}

// Rows "l1,l2 f:v f:v" with numbered labels below `num_labels`.
class XmcParser final : public LineParser {
 public:
  XmcParser(const IdRange& features, std::uint64_t num_labels)
      : features_(features), num_labels_(num_labels) {}

 protected:
  void parse_line(std::string_view line, ParsedBlock& out) override {
    Cursor cursor(line);
    if (begins_with_labels(line)) parse_labels(cursor, out);
    out.end_label_row();
    parse_pairs(cursor, features_, out.rows.features);
    end_features(out);
  }

 private:
  void parse_labels(Cursor& cursor, ParsedBlock& out) const {
    while (true) {
      std::uint32_t label = 0;
      const char* const at = parse_uint32(cursor.at, cursor.end, label);
      if (at == nullptr || (at != cursor.end && *at != ',' && !is_blank(*at))) {
        fail_line("expected label numbers separated by commas, found {}",
                  quote_token(cursor.rest()));
      }
      if (label >= num_labels_) {
        fail_line("label {} is out of range; the header declares {} labels, 0 to {}", label,
                  num_labels_, static_cast<std::int64_t>(num_labels_) - 1);
      }
      out.labels.items.push_back(label);
      cursor.at = at;
      if (at == cursor.end || *at != ',') return;
      ++cursor.at;
    }
  }

  IdRange features_;
  std::uint64_t num_labels_;
};

// Rows "f:v f:v", the feature file of the two-file form.
class FeatureParser final : public LineParser {
 public:
  explicit FeatureParser(const IdRange& features) : features_(features) {}

 protected:
  void parse_line(std::string_view line, ParsedBlock& out) override {
    Cursor cursor(line);
    parse_pairs(cursor, features_, out.rows.features);
    end_features(out);
  }

 private:
  IdRange features_;
};

// Rows "l:v l:v", the label file of the two-file form; labels of value 0 are none.
class LabelMatrixParser final : public LineParser {
 public:
  explicit LabelMatrixParser(std::uint64_t num_labels) : num_labels_(num_labels) {}

 protected:
  void parse_line(std::string_view line, ParsedBlock& out) override {
    Cursor cursor(line);
    pairs_.clear();
    parse_pairs(cursor, {}, pairs_);
    for (std::size_t i = 0; i < pairs_.columns.size(); ++i) {
      if (pairs_.columns[i] >= num_labels_) {
        fail_line("label {} is out of range; the header declares {} labels, 0 to {}",
                  pairs_.columns[i], num_labels_, static_cast<std::int64_t>(num_labels_) - 1);
      }
      if (pairs_.values[i] != 0) out.labels.items.push_back(pairs_.columns[i]);
    }
    out.end_label_row();
  }

 private:
  std::uint64_t num_labels_;
  SparseMatrix pairs_;
};

// Rows "l1,l2 f:v f:v # comment" with labels of any name.
class SvmlightParser final : public LineParser {
 public:
  explicit SvmlightParser(const IdRange& features) : features_(features) {}

 protected:
  void begin_block(std::string_view text) override {
    valid_utf8_ = simdjson::validate_utf8(text.data(), text.size());
  }

  // Empty lines and lines that are all comment are no rows; a blank alone is an empty row.
  [[nodiscard]] bool is_row(std::string_view line) const override {
    return !line.empty() && line.front() != '#';
  }

  void parse_line(std::string_view line, ParsedBlock& out) override {
    line = line.substr(0, line.find('#'));
    if (!valid_utf8_ && !simdjson::validate_utf8(line.data(), line.size())) {
      fail_line("expected UTF-8, found {}", quote_found(line));
    }
    Cursor cursor(line);
    if (begins_with_labels(line)) parse_labels(cursor, out);
    out.end_label_row();
    cursor.skip_blanks();
    if (cursor.rest().starts_with("qid:")) {  // which query a row belongs to is of no use here
      while (cursor.at != cursor.end && !is_blank(*cursor.at)) ++cursor.at;
    }
    parse_pairs(cursor, features_, out.rows.features);
    end_features(out);
  }

 private:
  static void parse_labels(Cursor& cursor, ParsedBlock& out) {
    const std::string_view rest = cursor.rest();
    const std::size_t length = std::min(rest.size(), rest.find_first_of(" \t"));
    std::string_view token = rest.substr(0, length);
    while (true) {
      const std::size_t comma = token.find(',');
      std::string_view label = token.substr(0, comma);
      if (label.size() > 1 && label[0] == '+' && is_digit(label[1])) label.remove_prefix(1);
      if (label.empty()) {
        fail_line("expected labels separated by single commas, found {}",
                  quote_found(rest.substr(0, length)));
      }
      out.add_label(label);
      if (comma == std::string_view::npos) break;
      token.remove_prefix(comma + 1);
    }
    cursor.at += length;
  }

  IdRange features_;
  bool valid_utf8_ = true;
};

constexpr std::uint64_t kMaxIds = std::numeric_limits<std::uint32_t>::max() - 1;

XmcHeader take_header(LineBlocks& lines, std::size_t num_numbers, std::string_view meaning) {
  const std::string& name = lines.source().name();
  std::string line;
  if (!lines.take_line(line)) {
    fail(ErrorCode::kInvalidData, "{} is empty, expected a header \"{}\"", name, meaning);
  }
  const auto header = parse_xmc_header(line);
  if (!header || header->labels.has_value() != (num_numbers == 3)) {
    fail(ErrorCode::kInvalidData, "{}:1: expected a header of {} numbers \"{}\", found {}", name,
         num_numbers, meaning, quote_found(line));
  }
  if (header->columns > kMaxIds || header->labels.value_or(0) > kMaxIds) {
    fail(ErrorCode::kInvalidData, "{}:1: the header declares {}; at most {} are supported", name,
         quote_found(line), kMaxIds);
  }
  return *header;
}

IdRange feature_range(const ReadOptions& options, std::optional<std::uint64_t> count) {
  return {options.index_base.value_or(0), count, options.index_base.has_value()};
}

}  // namespace

std::optional<XmcHeader> parse_xmc_header(std::string_view line) {
  Cursor cursor(line);
  std::uint64_t numbers[3] = {};
  std::size_t count = 0;
  for (cursor.skip_blanks(); cursor.at != cursor.end; cursor.skip_blanks(), ++count) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max() / 10 - 1;
    if (count == 3 || !is_digit(*cursor.at)) return std::nullopt;
    for (; cursor.at != cursor.end && is_digit(*cursor.at); ++cursor.at) {
      if (numbers[count] > kMax) return std::nullopt;
      numbers[count] = numbers[count] * 10 + static_cast<std::uint64_t>(*cursor.at - '0');
    }
    if (cursor.at != cursor.end && !is_blank(*cursor.at)) return std::nullopt;
  }
  if (count < 2) return std::nullopt;
  XmcHeader header{numbers[0], numbers[1], std::nullopt};
  if (count == 3) header.labels = numbers[2];
  return header;
}

std::unique_ptr<Reader> open_xmc(OpenRequest request) {
  refuse_label_file(request);
  const XmcHeader header = take_header(*request.rows, 3, "rows features labels");
  BlockReaderOptions options;
  options.schema.format = Format::kXmc;
  options.schema.declared_rows = header.rows;
  options.schema.declared_features = header.columns;
  options.schema.declared_labels = header.labels;
  options.label_form = number_labels(request.names, *header.labels);
  const IdRange features = feature_range(request.options, header.columns);
  const std::uint64_t num_labels = *header.labels;
  auto rows = make_text_source(
      request.context, std::move(request.rows),
      [features, num_labels] { return std::make_unique<XmcParser>(features, num_labels); },
      {0, request.options.skip_bad});
  return read_blocks(request, std::move(options), std::move(rows));
}

std::unique_ptr<Reader> open_xmc_pair(OpenRequest request) {
  const std::string name = request.rows->source().name();
  const XmcHeader header = take_header(*request.rows, 2, "rows features");
  if (request.labels == nullptr && request.options.format != Format::kXmcPair) {
    fail(ErrorCode::kInvalidArgument,
         "{} is the feature file of a two-file data set; give its labels as a label file, or "
         "name the format xmc-pair if there are none",
         name);
  }
  BlockReaderOptions options;
  options.schema.format = Format::kXmcPair;
  options.schema.declared_rows = header.rows;
  options.schema.declared_features = header.columns;
  options.schema.has_labels = request.labels != nullptr;
  const TextBlockOptions text_options{0, request.options.skip_bad};
  std::unique_ptr<BlockSource> labels;
  if (request.labels) {
    const std::string label_name = request.labels->source().name();
    const XmcHeader label_header = take_header(*request.labels, 2, "rows labels");
    if (label_header.rows != header.rows) {
      fail(ErrorCode::kInvalidData,
           "{} declares {} rows, but {} declares {}; they must be the same", name, header.rows,
           label_name, label_header.rows);
    }
    options.declared_label_rows = label_header.rows;
    options.schema.declared_labels = label_header.columns;
    options.label_form = number_labels(request.names, label_header.columns);
    const std::uint64_t num_labels = label_header.columns;
    labels = make_text_source(
        request.context, std::move(request.labels),
        [num_labels] { return std::make_unique<LabelMatrixParser>(num_labels); }, text_options);
  }
  const IdRange features = feature_range(request.options, header.columns);
  auto rows = make_text_source(
      request.context, std::move(request.rows),
      [features] { return std::make_unique<FeatureParser>(features); }, text_options);
  return read_blocks(request, std::move(options), std::move(rows), std::move(labels));
}

std::unique_ptr<Reader> open_svmlight(OpenRequest request) {
  refuse_label_file(request);
  BlockReaderOptions options;
  options.schema.format = Format::kSvmlight;
  const IdRange features = feature_range(request.options, std::nullopt);
  auto rows = make_text_source(request.context, std::move(request.rows),
                               [features] { return std::make_unique<SvmlightParser>(features); },
                               {0, request.options.skip_bad});
  return read_blocks(request, std::move(options), std::move(rows));
}

}  // namespace mhe::data

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The formats of plain lines: fastText, a text a line, and the labels of a row a line.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <simdjson.h>

#include "base/check.h"
#include "data/label_separator.h"
#include "data/label_text.h"
#include "data/open_format.h"

namespace mhe::data {
namespace {

// Lines of UTF-8: a block is checked as a whole, its lines only if that fails.
class Utf8LineParser : public LineParser {
 protected:
  void begin_block(std::string_view text) override {
    valid_utf8_ = simdjson::validate_utf8(text.data(), text.size());
  }
  void parse_line(std::string_view line, ParsedBlock& out) final {
    if (!valid_utf8_) require_utf8(line);
    parse_utf8(line, out);
  }
  virtual void parse_utf8(std::string_view line, ParsedBlock& out) = 0;

 private:
  bool valid_utf8_ = true;
};

// "__label__a __label__b text": tokens that start with `prefix` are labels wherever they stand,
// what is left is the text.
class FastTextParser final : public Utf8LineParser {
 public:
  explicit FastTextParser(std::string prefix) : prefix_(std::move(prefix)) {}

 protected:
  // An empty line is no row; a blank alone is an empty row.
  [[nodiscard]] bool is_row(std::string_view line) const override { return !line.empty(); }

  void parse_utf8(std::string_view line, ParsedBlock& out) override {
    Strings& text = out.rows.text.front();
    std::string_view rest = trim(line);
    while (is_label(rest)) rest = trim(take_label(rest, out));
    const std::size_t text_begin = text.items.size();
    // Text without labels in it, which is nearly all there is, keeps its blanks.
    if (rest.find(prefix_) == std::string_view::npos) {
      text.items.insert(text.items.end(), rest.begin(), rest.end());
    } else {
      take_words(rest, text_begin, out);
    }
    text.end_row();
    out.end_label_row();
  }

 private:
  [[nodiscard]] bool is_label(std::string_view rest) const {
    return rest.starts_with(prefix_) && rest.size() > prefix_.size() &&
           kBlanks.find(rest[prefix_.size()]) == std::string_view::npos;
  }

  // Adds the label that `rest` begins with and returns what follows it.
  std::string_view take_label(std::string_view rest, ParsedBlock& out) const {
    const std::size_t end = std::min(rest.size(), rest.find_first_of(kBlanks));
    out.add_label(rest.substr(prefix_.size(), end - prefix_.size()));
    return rest.substr(end);
  }

  void take_words(std::string_view rest, std::size_t text_begin, ParsedBlock& out) const {
    std::vector<char>& characters = out.rows.text.front().items;
    while (!rest.empty()) {
      if (is_label(rest)) {
        rest = trim(take_label(rest, out));
        continue;
      }
      const std::size_t end = std::min(rest.size(), rest.find_first_of(kBlanks));
      if (characters.size() > text_begin) characters.push_back(' ');
      characters.insert(characters.end(), rest.begin(),
                        rest.begin() + static_cast<std::ptrdiff_t>(end));
      rest = trim(rest.substr(end));
    }
  }

  std::string prefix_;
};

// The whole line is the text.
class TextParser final : public Utf8LineParser {
 protected:
  void parse_utf8(std::string_view line, ParsedBlock& out) override {
    out.rows.text.front().push_row({line.data(), line.size()});
  }
};

// The labels of a row, split at `separator` as add_labels() does.
class LabelLineParser final : public Utf8LineParser {
 public:
  explicit LabelLineParser(std::string separator) : separator_(std::move(separator)) {}

 protected:
  void parse_utf8(std::string_view line, ParsedBlock& out) override {
    add_labels(line, separator_, out);
    out.end_label_row();
  }

 private:
  std::string separator_;
};

}  // namespace

std::unique_ptr<BlockSource> open_label_lines(OpenRequest& request, Schema& schema) {
  const SeparatorGuess guess =
      choose_label_separator(request.options, schema.format, " ", [&](LabelSample& sample) {
        show_first_lines(*request.labels, LineRule::kPlain, ',', [&](std::string_view line) {
          sample.add(line);
          return !sample.is_full();
        });
      });
  schema.layout.label_separator = guess.separator;
  schema.separator_is_guess = guess.is_found;
  return make_text_source(
      request.context, std::move(request.labels),
      [separator = guess.separator] { return std::make_unique<LabelLineParser>(separator); },
      {0, request.options.skip_bad});
}

std::unique_ptr<Reader> open_fasttext(OpenRequest request) {
  const std::string prefix = request.options.label_prefix;
  refuse_label_file(request);
  BlockReaderOptions options;
  options.schema.format = Format::kFastText;
  options.schema.kind = InputKind::kText;
  options.schema.text_fields = {"text"};
  options.schema.layout.label_prefix = prefix;
  auto rows = make_text_source(request.context, std::move(request.rows),
                               [prefix] { return std::make_unique<FastTextParser>(prefix); },
                               {1, request.options.skip_bad});
  return read_blocks(request, std::move(options), std::move(rows));
}

std::unique_ptr<Reader> open_text_lines(OpenRequest request) {
  BlockReaderOptions options;
  options.schema.format = Format::kTextLines;
  options.schema.kind = InputKind::kText;
  options.schema.text_fields = {"text"};
  auto rows = make_text_source(request.context, std::move(request.rows),
                               [] { return std::make_unique<TextParser>(); },
                               {1, request.options.skip_bad});
  return read_with_label_file(request, std::move(options), std::move(rows));
}

}  // namespace mhe::data

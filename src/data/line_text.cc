// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/line_text.h"

#include <algorithm>
#include <utility>

#include <simdjson.h>

#include "data/label_text.h"

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

class TextParser final : public Utf8LineParser {
 protected:
  void parse_utf8(std::string_view line, ParsedBlock& out) override {
    out.rows.text.front().push_row({line.data(), line.size()});
  }
};

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

std::unique_ptr<BlockParser> make_fasttext_parser(std::string prefix) {
  return std::make_unique<FastTextParser>(std::move(prefix));
}

std::unique_ptr<BlockParser> make_text_parser() {
  return std::make_unique<TextParser>();
}

std::unique_ptr<BlockParser> make_label_line_parser(std::string separator) {
  return std::make_unique<LabelLineParser>(std::move(separator));
}

}  // namespace mhe::data

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/dictionary_entries.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/number.h"
#include "tasks/lines.h"

namespace mhe::tasks {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    lines.push_back(line);
  }
  return lines;
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

// The length of "12. " at the front, or 0.
std::size_t number_length(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && data::is_digit(text[i])) ++i;
  if (i == 0 || i >= text.size() || text[i] != '.') return 0;
  return i + 1 == text.size() || text[i + 1] == ' ' ? i + 1 : 0;
}

// Links are written {so}.
std::string without_braces(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == '{' || c == '}'; });
  return out;
}

// Remarks in brackets that begin with a capital, such as [Obs.] and [R.]; accents are written
// [=e] or ["o] and stay.
std::string without_remarks(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool remark =
        text[i] == '[' && i + 1 < text.size() && text[i + 1] >= 'A' && text[i + 1] <= 'Z';
    const std::size_t close = remark ? text.find(']', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += text[i];
    } else {
      i = close;
    }
  }
  return out;
}

// A definition of GCIDE without what is none: its number, remarks, examples ("; as, ..."), and the
// name of an author ("--Shak.").
std::string clean_definition(std::string_view paragraph) {
  std::string text = squeeze_blanks(without_remarks(without_braces(paragraph)));
  text.erase(0, number_length(text));
  for (const std::string_view mark : {"; as, ", " as, "}) {
    if (const std::size_t at = text.find(mark); at != std::string::npos) text.erase(at);
  }
  // " -- often used collectively" goes on with a blank, a name does not.
  for (std::size_t at = text.find(" --"); at != std::string::npos; at = text.find(" --", at + 1)) {
    if (at + 3 >= text.size() || text[at + 3] != ' ') text.erase(at);
  }
  return squeeze_blanks(text);
}

bool is_source_tag(std::string_view trimmed) {
  return trimmed.starts_with('[') && trimmed.ends_with(']') &&
         (trimmed.find("Webster") != std::string_view::npos ||
          trimmed.find("WordNet") != std::string_view::npos ||
          trimmed.find("PJC") != std::string_view::npos);
}

bool is_definition(std::string_view paragraph) {
  const std::size_t indent = indent_of(paragraph);
  constexpr std::size_t kQuotation = 9;  // quotations are indented by so much or more
  if (indent >= kQuotation) return false;
  const std::string_view text = paragraph.substr(indent);
  for (const std::string_view what : {"Note:", "Syn:", "Usage:", "Syn."}) {
    if (text.starts_with(what)) return false;
  }
  return !text.empty();
}

int bracket_depth(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '[')) -
         static_cast<int>(std::count(text.begin(), text.end(), ']'));
}

// "(Bot.) See Boy's love": no definition.
bool is_reference(std::string_view text) {
  if (text.starts_with('(')) text.remove_prefix(std::min(text.find(')'), text.size() - 1) + 1);
  text.remove_prefix(std::min(text.find_first_not_of(",.;: "), text.size()));
  return text.starts_with("See ") || text.starts_with("Same as ") || text.starts_with("Cf. ");
}

// "{Ball valve} (Mach.), a contrivance ..." defines an expression; its words and the definition,
// which is empty if there is none but a reference.
Sense expression_sense(std::string_view paragraph) {
  const std::string_view text = paragraph.substr(indent_of(paragraph));
  const std::size_t close = text.find('}');
  if (!text.starts_with('{') || close == std::string_view::npos) return {};
  std::string words = squeeze_blanks(text.substr(1, close - 1));
  if (words.starts_with("To ")) words.erase(0, 3);
  std::string definition = clean_definition(text.substr(close + 1));
  definition.erase(0, std::min(definition.find_first_not_of(",.;: "), definition.size()));
  if (is_reference(definition)) return {};
  return {{std::move(words)}, std::move(definition)};
}

// How many lines the head of a GCIDE entry takes: pronunciation, word class, inflections, origin.
std::size_t head_lines(const std::vector<std::string_view>& lines) {
  std::size_t count = 1;
  int depth = lines.empty() ? 0 : bracket_depth(lines[0]);
  while (count < lines.size()) {
    const std::string_view before = squeeze_blanks(lines[count - 1]).empty()
                                        ? std::string_view()
                                        : lines[count - 1].substr(lines[count - 1].size() - 1);
    const std::string_view line = lines[count].substr(indent_of(lines[count]));
    if (line.empty() || is_source_tag(line)) break;
    const bool goes_on = depth > 0 || (line.starts_with('[') && !is_source_tag(line)) ||
                         before == "," || before == ";" || before == "&" || before == "\\";
    if (!goes_on) break;
    depth += bracket_depth(line);
    ++count;
  }
  return count;
}

constexpr std::size_t kExpressionIndent = 3;

// Paragraphs whose source is not known yet, and what has become of the others.
class GcideSenses {
 public:
  explicit GcideSenses(std::vector<std::string> words) : words_(std::move(words)) {}

  void add_line(std::string_view line) {
    const std::string_view trimmed = line.substr(indent_of(line));
    if (trimmed.empty()) return end_paragraph();
    if (is_source_tag(trimmed)) {
      end_paragraph();
      return end_source(trimmed);
    }
    // A link may also begin a line in the middle of a sentence; an expression is indented less.
    const bool expression = trimmed.starts_with('{') && indent_of(line) <= kExpressionIndent;
    if (number_length(trimmed) > 0 || expression) end_paragraph();
    paragraph_ += line;
    paragraph_ += '\n';
  }
  std::vector<Sense> finish() {
    end_paragraph();
    end_source("");
    return std::move(senses_);
  }

 private:
  void end_paragraph() {
    const std::size_t indent = indent_of(paragraph_);
    if (!is_definition(paragraph_)) {
      // A quotation, a note.
    } else if (paragraph_[indent] == '{') {
      Sense sense = expression_sense(paragraph_);
      if (!sense.definition.empty()) pending_.push_back(std::move(sense));
    } else {
      std::string definition = clean_definition(paragraph_);
      if (!is_reference(definition)) pending_.push_back({words_, std::move(definition)});
    }
    paragraph_.clear();
  }
  void end_source(std::string_view tag) {
    if (tag.find("WordNet") == std::string_view::npos) {
      std::move(pending_.begin(), pending_.end(), std::back_inserter(senses_));
    }
    pending_.clear();
  }

  std::vector<std::string> words_;
  std::string paragraph_;
  std::vector<Sense> pending_;
  std::vector<Sense> senses_;
};

}  // namespace

std::vector<Sense> parse_gcide_entry(std::string_view entry) {
  const std::vector<std::string_view> lines = lines_of(entry);
  if (lines.empty()) return {};
  const std::size_t end = std::min(lines[0].find(" \\"), lines[0].find(','));
  std::string word = squeeze_blanks(lines[0].substr(0, end));
  if (word.empty()) return {};
  GcideSenses senses({std::move(word)});
  for (std::size_t i = head_lines(lines); i < lines.size(); ++i) senses.add_line(lines[i]);
  return senses.finish();
}

std::vector<Sense> parse_foldoc_entry(std::string_view entry) {
  const std::vector<std::string_view> lines = lines_of(entry);
  Sense sense;
  std::size_t i = 0;
  for (; i < lines.size() && indent_of(lines[i]) == 0 && !lines[i].empty(); ++i) {
    sense.words.push_back(squeeze_blanks(lines[i]));
  }
  while (i < lines.size() && squeeze_blanks(lines[i]).empty()) ++i;
  std::string text;
  for (; i < lines.size() && !squeeze_blanks(lines[i]).empty(); ++i) {
    text += lines[i];
    text += ' ';
  }
  sense.definition = squeeze_blanks(without_braces(text));
  if (sense.definition.starts_with('<')) {  // the field it belongs to
    const std::size_t close = sense.definition.find('>');
    sense.definition = squeeze_blanks(
        std::string_view(sense.definition)
            .substr(close == std::string::npos ? sense.definition.size() : close + 1));
  }
  // References and dates alone define nothing.
  if (sense.words.empty() || sense.definition.empty() || is_reference(sense.definition)) return {};
  return {std::move(sense)};
}

std::vector<Sense> parse_wikdict_entry(std::string_view entry) {
  const std::vector<std::string_view> lines = lines_of(entry);
  if (lines.empty()) return {};
  const std::string_view head = lines[0];
  const std::size_t end = std::min(head.find(" /"), head.find(" <"));
  const std::string word = squeeze_blanks(head.substr(0, end));
  std::vector<Sense> senses;
  if (word.empty()) return senses;
  bool after_translation = false;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const std::string_view text = line.substr(indent_of(line));
    const bool indented = text.size() < line.size();
    if (text.empty() || (indented && number_length(text) == 0)) continue;  // links, notes
    if (!after_translation || number_length(text) > 0) {
      after_translation = true;
      continue;
    }
    senses.push_back({{word}, squeeze_blanks(text)});
  }
  return senses;
}

}  // namespace mhe::tasks

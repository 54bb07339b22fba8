// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/wordnet.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "tasks/lines.h"

namespace mhe::tasks {
namespace {

// Words of a line, one after the other.
class Fields {
 public:
  Fields(std::string_view line, std::string_view place) : rest_(line), place_(place) {}

  std::string_view next(const char* what) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    const std::string_view field = rest_.substr(0, rest_.find(' '));
    if (field.empty()) {
      fail(ErrorCode::kInvalidData, "{}: expected {}, found the end of the line", place_, what);
    }
    rest_.remove_prefix(field.size());
    return field;
  }

 private:
  std::string_view rest_;
  std::string_view place_;
};

std::uint32_t parse_hex(std::string_view text, std::string_view place) {
  constexpr int kHexadecimal = 16;
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, kHexadecimal);
  if (result.ec != std::errc() || result.ptr != end) {
    fail(ErrorCode::kInvalidData, "{}: expected a hexadecimal number of words, found \"{}\"", place,
         text.substr(0, 20));
  }
  return value;
}

// "abaxial(p)" says where an adjective may stand; "_" is a blank.
std::string plain_word(std::string_view word) {
  std::string plain(word.substr(0, word.ends_with(')') ? word.rfind('(') : word.size()));
  std::replace(plain.begin(), plain.end(), '_', ' ');
  return plain;
}

// Examples stand in quotes behind the definition.
std::string definition_of(std::string_view gloss) {
  std::size_t end = gloss.find("; \"");
  if (gloss.starts_with(" \"")) end = 0;
  return squeeze_blanks(gloss.substr(0, end));
}

}  // namespace

Synset parse_synset(std::string_view line, std::string_view place) {
  const std::size_t bar = line.find(" | ");
  if (bar == std::string_view::npos) {
    fail(ErrorCode::kInvalidData, "{}: expected \" | \" before the gloss, found none", place);
  }
  Fields fields(line.substr(0, bar), place);
  const std::string_view offset = fields.next("the place in the file");
  static_cast<void>(fields.next("a file number"));
  const std::string_view kind = fields.next("a part of speech");
  Synset synset;
  // An adjective that is like another has a letter of its own; both are in data.adj.
  synset.id = fmt::format("{}{}", kind == "s" ? "a" : kind, offset);
  const std::uint32_t count = parse_hex(fields.next("a number of words"), place);
  for (std::uint32_t i = 0; i < count; ++i) {
    synset.words.push_back(plain_word(fields.next("a word")));
    static_cast<void>(fields.next("the number of a word's sense"));
  }
  synset.definition = definition_of(line.substr(bar + 2));
  return synset;
}

std::vector<Synset> read_synsets(std::unique_ptr<data::ByteSource> source) {
  LineReader lines(std::move(source));
  std::vector<Synset> synsets;
  std::string line;
  while (lines.next(line)) {
    if (line.empty() || line.front() == ' ') continue;
    synsets.push_back(parse_synset(line, lines.place()));
  }
  return synsets;
}

}  // namespace mhe::tasks

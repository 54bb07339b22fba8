// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/word_forms.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "tasks/lines.h"

namespace mhe::tasks {
namespace {

struct Ending {
  std::string_view inflected;
  std::string_view base;
};

// The rules of WordNet's morphy, of all parts of speech together, and the possessive.
constexpr std::array<Ending, 20> kEndings = {{
    {"s", ""},      {"ses", "s"},   {"xes", "x"}, {"zes", "z"}, {"ches", "ch"},
    {"shes", "sh"}, {"men", "man"}, {"ies", "y"}, {"es", "e"},  {"es", ""},
    {"ed", "e"},    {"ed", ""},     {"ing", "e"}, {"ing", ""},  {"er", ""},
    {"est", ""},    {"er", "e"},    {"est", "e"}, {"ier", "y"}, {"iest", "y"},
}};

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_possessive(std::string_view text, std::size_t begin, std::size_t end) {
  return end - begin == 1 && to_lower(text[begin]) == 's' && begin > 1 && text[begin - 1] == '\'' &&
         is_word_byte(text[begin - 2]);
}

}  // namespace

std::vector<PlacedWord> placed_words(std::string_view text) {
  std::vector<PlacedWord> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word_byte(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word_byte(text[end])) ++end;
    if (is_possessive(text, i, end) && !words.empty()) {
      words.back().end = end;
    } else {
      std::string word(text.substr(i, end - i));
      std::transform(word.begin(), word.end(), word.begin(), to_lower);
      words.push_back({std::move(word), i, end});
    }
    i = end;
  }
  return words;
}

void WordForms::add_exceptions(std::unique_ptr<data::ByteSource> source) {
  LineReader lines(std::move(source));
  std::string line;
  while (lines.next(line)) {
    const std::vector<PlacedWord> words = placed_words(line);
    if (words.empty()) continue;
    // Expressions of several words are joined by underscores; the words alone follow other rules.
    if (line.find('_') != std::string::npos || line.find('-') != std::string::npos) continue;
    if (words.size() < 2) {
      fail(ErrorCode::kInvalidData, "{}: expected a form and its base, found \"{}\"", lines.place(),
           line.substr(0, 40));
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
      bases_[words[0].word].push_back(words[i].word);
    }
  }
}

bool WordForms::is_form_of(std::string_view word, std::string_view headword) const {
  if (word == headword) return true;
  for (const Ending& ending : kEndings) {
    if (!word.ends_with(ending.inflected) || !headword.ends_with(ending.base)) continue;
    const std::string_view stem = word.substr(0, word.size() - ending.inflected.size());
    // A stem of one letter is no word: "ed" would be a form of "e".
    if (stem.size() >= 2 && stem == headword.substr(0, headword.size() - ending.base.size())) {
      return true;
    }
  }
  const auto found = bases_.find(std::string(word));
  return found != bases_.end() &&
         std::find(found->second.begin(), found->second.end(), headword) != found->second.end();
}

std::string WordForms::remove_forms(std::string_view text,
                                    const std::vector<std::string>& labels) const {
  const std::vector<PlacedWord> words = placed_words(text);
  std::vector<std::size_t> ends(words.size(), 0);  // where what is removed from a word on ends
  for (const std::string& label : labels) {
    const std::vector<PlacedWord> headwords = placed_words(label);
    if (headwords.empty()) continue;
    for (std::size_t i = 0; i + headwords.size() <= words.size(); ++i) {
      bool all = true;
      for (std::size_t j = 0; j < headwords.size() && all; ++j) {
        all = is_form_of(words[i + j].word, headwords[j].word);
      }
      if (all) ends[i] = std::max(ends[i], words[i + headwords.size() - 1].end);
    }
  }
  std::string kept;
  std::size_t from = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (ends[i] <= from) continue;
    if (words[i].begin > from) kept += text.substr(from, words[i].begin - from);
    from = ends[i];
  }
  kept += text.substr(from);
  return squeeze_blanks(kept);
}

}  // namespace mhe::tasks

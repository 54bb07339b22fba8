// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/byte_source.h"

namespace mhe::tasks {

/// The words of a text in lower case: runs of ASCII letters, digits and other characters beyond
/// ASCII; a possessive 's is no word.
struct PlacedWord {
  std::string word;
  std::size_t begin = 0;  ///< in the text
  std::size_t end = 0;
};
[[nodiscard]] std::vector<PlacedWord> placed_words(std::string_view text);

/// Tells English inflections of a word, by WordNet's rules of endings and its lists of exceptions.
class WordForms {
 public:
  /// Adds a list such as noun.exc: "mice mouse". Throws kInvalidData.
  void add_exceptions(std::unique_ptr<data::ByteSource> source);

  /// Whether `word` is `headword` or a plural, a verb form or a degree of it; both in lower case.
  [[nodiscard]] bool is_form_of(std::string_view word, std::string_view headword) const;

  /// `text` without every headword of `labels` and its inflections; of labels of several words,
  /// without those words in a row.
  [[nodiscard]] std::string remove_forms(std::string_view text,
                                         const std::vector<std::string>& labels) const;

 private:
  std::unordered_map<std::string, std::vector<std::string>> bases_;
};

}  // namespace mhe::tasks

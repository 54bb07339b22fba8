// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// From the fields of a document to its terms: the words, word n-grams and character n-grams of each
// part of the features, still with repetitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/options.h"
#include "text/tokenize.h"

namespace mhe::text {

/// A word, word n-gram or character n-gram of a document.
struct Term {
  std::uint64_t hash = 0;       ///< within its part
  const char* bytes = nullptr;  ///< as the vocabulary spells it; kReadPadding more may be read
  std::uint32_t size = 0;
  std::uint32_t part = 0;

  [[nodiscard]] std::string_view spelling() const noexcept { return {bytes, size}; }
};

/// Finds the terms of documents. Holds the space that needs, so one for each thread; calls stop
/// allocating once the longest document has been seen.
class Analyzer {
 public:
  /// `parts` must outlive the analyser.
  Analyzer(std::span<const Part> parts, std::uint32_t min_token_length);

  /// The terms of a document, part by part; valid until the next call. Throws kResourceLimit if
  /// the document is too long.
  [[nodiscard]] std::span<const Term> analyze(std::span<const std::string_view> fields);

 private:
  [[nodiscard]] std::span<const Token> words_of(const Part& part, std::size_t field) const;
  void add_words(std::span<const Token> words, std::uint32_t part, std::uint32_t longest);
  void add_char_ngrams(std::span<const Token> words, const Part& part, std::uint32_t index);
  void add_char_ngrams_of(std::string_view word, const Part& part, std::uint32_t index);
  void reserve_char_bytes();

  std::span<const Part> parts_;
  Tokenizer tokenizer_;
  TokenBuffer words_;
  std::vector<std::size_t> field_ends_;  // [field]: one past its last word in words_
  std::vector<char> char_bytes_;         // spellings of the character n-grams
  std::size_t char_bytes_used_ = 0;
  std::vector<std::uint32_t> code_points_;  // where those of a word between its borders begin
  std::vector<char> bordered_;              // "<word>"
  std::vector<Term> terms_;                 // longer than what is used
  std::size_t num_terms_ = 0;
};

}  // namespace mhe::text

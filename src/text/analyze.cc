// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/analyze.h"

#include <algorithm>
#include <cstring>

#include <unicode/utf8.h>

#include "base/checked.h"
#include "text/hash.h"
#include "text/make_room.h"

namespace mhe::text {
namespace {

constexpr char kWordBegin = '<';
constexpr char kWordEnd = '>';

// Only n-grams of words need them side by side.
Gaps gaps_for(std::span<const Part> parts) noexcept {
  const bool has_pairs = std::any_of(parts.begin(), parts.end(),
                                     [](const Part& part) { return part.word_ngrams > 1; });
  return has_pairs ? Gaps::kOneSpace : Gaps::kAny;
}

}  // namespace

Analyzer::Analyzer(std::span<const Part> parts, std::uint32_t min_token_length)
    : parts_(parts), tokenizer_(min_token_length, gaps_for(parts)) {}

std::span<const Term> Analyzer::analyze(std::span<const std::string_view> fields) {
  words_.clear();
  field_ends_.clear();
  num_terms_ = 0;
  char_bytes_used_ = 0;
  for (const std::string_view text : fields) {
    tokenizer_.append(text, words_);
    field_ends_.push_back(words_.tokens().size());
  }
  reserve_char_bytes();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const auto index = static_cast<std::uint32_t>(i);
    for (const std::size_t field : part.fields) {
      const std::span<const Token> words = words_of(part, field);
      add_words(words, index, part.word_ngrams);
      if (part.char_max > 0) add_char_ngrams(words, part, index);
    }
  }
  return {terms_.data(), num_terms_};
}

std::span<const Token> Analyzer::words_of(const Part& part, std::size_t field) const {
  const std::size_t begin = field == 0 ? 0 : field_ends_[field - 1];
  std::size_t count = field_ends_[field] - begin;
  if (part.first_words > 0) count = std::min<std::size_t>(count, part.first_words);
  return words_.tokens().subspan(begin, count);
}

void Analyzer::add_words(std::span<const Token> words, std::uint32_t part, std::uint32_t longest) {
  if (longest == 0) return;
  const char* bytes = words_.bytes();
  make_room(terms_, num_terms_ + longest * words.size());
  Term* term = terms_.data() + num_terms_;
  for (const Token& word : words) {
    *term++ = {hash_in_part(word.hash, part), bytes + word.begin, word.size, part};
  }
  for (std::size_t i = 0; i < words.size() && longest > 1; ++i) {
    std::uint64_t hash = words[i].hash;
    for (std::size_t j = i + 1; j < std::min<std::size_t>(words.size(), i + longest); ++j) {
      hash = join_hashes(hash, words[j].hash);
      const std::uint32_t size = words[j].begin + words[j].size - words[i].begin;
      *term++ = {hash_in_part(hash, part), bytes + words[i].begin, size, part};
    }
  }
  num_terms_ = static_cast<std::size_t>(term - terms_.data());
}

void Analyzer::add_char_ngrams(std::span<const Token> words, const Part& part,
                               std::uint32_t index) {
  for (const Token& word : words) {
    add_char_ngrams_of({words_.bytes() + word.begin, word.size}, part, index);
  }
}

void Analyzer::add_char_ngrams_of(std::string_view word, const Part& part, std::uint32_t index) {
  bordered_.clear();
  bordered_.push_back(kWordBegin);
  bordered_.insert(bordered_.end(), word.begin(), word.end());
  bordered_.push_back(kWordEnd);
  code_points_.clear();
  for (std::uint32_t i = 0; i < bordered_.size(); ++i) {
    if (!U8_IS_TRAIL(bordered_[i])) code_points_.push_back(i);
  }
  code_points_.push_back(static_cast<std::uint32_t>(bordered_.size()));
  const std::size_t length = code_points_.size() - 1;
  make_room(terms_, num_terms_ + length * part.char_max);
  for (std::size_t n = part.char_min; n <= std::min<std::size_t>(part.char_max, length); ++n) {
    for (std::size_t i = 0; i + n <= length; ++i) {
      const std::uint32_t size = code_points_[i + n] - code_points_[i];
      char* target = char_bytes_.data() + char_bytes_used_;
      *target = kCharGramMark;
      std::memcpy(target + 1, bordered_.data() + code_points_[i], size);
      char_bytes_used_ += size + 1;
      terms_[num_terms_++] = {hash_in_part(hash_padded(target, size + 1), index), target, size + 1,
                              index};
    }
  }
}

// Room for all character n-grams of the document before the first is written: the terms point into
// the buffer, so it must not move.
void Analyzer::reserve_char_bytes() {
  std::size_t room = kReadPadding;
  for (const Part& part : parts_) {
    if (part.char_max == 0) continue;
    std::size_t lengths = 0;  // a byte lies in at most n of the n-grams, and each has its mark
    for (std::size_t n = part.char_min; n <= part.char_max; ++n) lengths += n + 1;
    for (const std::size_t field : part.fields) {
      std::size_t bytes = 0;
      for (const Token& word : words_of(part, field)) bytes += word.size + 2;
      room =
          checked_add(room, checked_mul(lengths, bytes, "character n-grams"), "character n-grams");
    }
  }
  make_room(char_bytes_, room);
}

}  // namespace mhe::text

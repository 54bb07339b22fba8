// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/normalize.h"

namespace mhe::text {

/// A run of bytes in a TokenBuffer, and its hash.
struct Token {
  std::uint64_t hash = 0;
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
};

/// What stands between the words of a TokenBuffer.
enum class Gaps {
  kAny,       ///< anything: words stay where they are, which is faster
  kOneSpace,  ///< one space, so that n consecutive words of one text are the n-gram's spelling
};

/// Words one after the other, normalised.
class TokenBuffer {
 public:
  [[nodiscard]] std::span<const Token> tokens() const noexcept {
    return {tokens_.data(), num_tokens_};
  }
  /// kReadPadding bytes may be read past the end of any token.
  [[nodiscard]] const char* bytes() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::string_view operator[](std::size_t token) const noexcept {
    return {bytes_.data() + tokens_[token].begin, tokens_[token].size};
  }
  void clear() noexcept {
    num_tokens_ = 0;
    used_ = 0;
  }

 private:
  friend class Tokenizer;

  std::vector<char> bytes_;    // longer than what is used
  std::size_t used_ = 0;       // up to the end of the last word, and its space
  std::vector<Token> tokens_;  // as well
  std::size_t num_tokens_ = 0;
};

/// Splits text into words. Holds the space that needs, so one for each thread; calls stop
/// allocating once the longest text has been seen.
class Tokenizer {
 public:
  /// Words of fewer code points than `min_length` are skipped, except letters that are words by
  /// themselves.
  explicit Tokenizer(std::uint32_t min_length = 1, Gaps gaps = Gaps::kOneSpace)
      : min_length_(min_length), gaps_(gaps) {}

  /// Appends the words of `text`. Throws kResourceLimit if the buffer would pass 4 GiB.
  void append(std::string_view text, TokenBuffer& out);

 private:
  [[nodiscard]] bool fold(std::string_view text, TokenBuffer& out);
  void find_edges(std::size_t size);
  void append_words(TokenBuffer& out) const;
  void copy_words(TokenBuffer& out) const;
  [[nodiscard]] bool is_long_enough(const char* bytes, std::size_t size) const;

  std::uint32_t min_length_;
  Gaps gaps_;
  NormalizeScratch normalize_scratch_;
  std::vector<char> folded_;               // the text in small letters, padded, if it is copied
  std::vector<std::uint64_t> word_masks_;  // bit i of [j]: byte 64 j + i belongs to a word
  std::vector<std::uint32_t> edges_;       // begin, end, begin, end ... of the words
  std::size_t num_edges_ = 0;
};

}  // namespace mhe::text

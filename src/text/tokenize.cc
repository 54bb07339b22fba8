// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/tokenize.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "kernels/fold_words.h"
#include "text/code_points.h"
#include "text/hash.h"
#include "text/make_room.h"
#include "text/utf8.h"

namespace mhe::text {
namespace {

// Positions in a buffer are 32 bits, and a text may grow twelvefold when normalised.
constexpr std::size_t kMaxText = std::numeric_limits<std::uint32_t>::max() / 16;
constexpr std::size_t kMaxBuffer = std::numeric_limits<std::uint32_t>::max() / 4;

}  // namespace

void Tokenizer::append(std::string_view text, TokenBuffer& out) {
  if (text.size() > kMaxText || out.used_ > kMaxBuffer) {
    fail(ErrorCode::kResourceLimit, "a text of {} bytes; at most {} are supported", text.size(),
         kMaxText);
  }
  if (!fold(text, out)) {
    text = normalize(text, normalize_scratch_);
    (void)fold(text, out);
  }
  find_edges(text.size());
  if (gaps_ == Gaps::kAny) {
    append_words(out);
  } else {
    copy_words(out);
  }
}

// Returns whether the text is ASCII.
bool Tokenizer::fold(std::string_view text, TokenBuffer& out) {
  const std::size_t blocks = kernels::num_fold_blocks(text.size());
  const bool in_place = gaps_ == Gaps::kAny;
  std::vector<char>& target = in_place ? out.bytes_ : folded_;
  const std::size_t begin = in_place ? out.used_ : 0;
  make_room(target, begin + blocks * kernels::kFoldBlock + kReadPadding);
  make_room(word_masks_, blocks);
  return kernels::fold_words(text.data(), text.size(), target.data() + begin, word_masks_.data());
}

void Tokenizer::find_edges(std::size_t size) {
  const std::size_t blocks = kernels::num_fold_blocks(size);
  make_room(edges_, blocks * kernels::kFoldBlock + kernels::kEdgeSlack);
  num_edges_ = kernels::find_word_edges(word_masks_.data(), blocks, edges_.data());
}

void Tokenizer::append_words(TokenBuffer& out) const {
  if (num_edges_ == 0) return;
  make_room(out.tokens_, out.num_tokens_ + num_edges_ / 2);
  Token* token = out.tokens_.data() + out.num_tokens_;
  const char* const folded = out.bytes_.data() + out.used_;
  const auto base = static_cast<std::uint32_t>(out.used_);
  for (std::size_t i = 0; i < num_edges_; i += 2) {
    const char* word = folded + edges_[i];
    const std::size_t size = edges_[i + 1] - edges_[i];
    if (min_length_ > 1 && !is_long_enough(word, size)) continue;
    *token++ = {hash_padded(word, size), base + edges_[i], static_cast<std::uint32_t>(size)};
  }
  out.num_tokens_ = static_cast<std::size_t>(token - out.tokens_.data());
  out.used_ += edges_[num_edges_ - 1];
}

void Tokenizer::copy_words(TokenBuffer& out) const {
  if (num_edges_ == 0) return;
  // Words shrink nothing and gain one space each in place of at least one separator.
  const std::size_t room = edges_[num_edges_ - 1] + 1 + 2 * kReadPadding;
  make_room(out.bytes_, out.used_ + room);
  make_room(out.tokens_, out.num_tokens_ + num_edges_ / 2);
  Token* token = out.tokens_.data() + out.num_tokens_;
  char* const begin = out.bytes_.data();
  char* target = begin + out.used_;
  for (std::size_t i = 0; i < num_edges_; i += 2) {
    const char* word = folded_.data() + edges_[i];
    const std::size_t size = edges_[i + 1] - edges_[i];
    if (min_length_ > 1 && !is_long_enough(word, size)) continue;
    *token++ = {hash_padded(word, size), static_cast<std::uint32_t>(target - begin),
                static_cast<std::uint32_t>(size)};
    std::memcpy(target, word, 16);  // a fixed size is two moves; most words are shorter
    if (size > 16) std::memcpy(target + 16, word + 16, size - 16);
    target += size;
    *target++ = ' ';
  }
  out.num_tokens_ = static_cast<std::size_t>(token - out.tokens_.data());
  out.used_ = static_cast<std::size_t>(target - begin);
}

bool Tokenizer::is_long_enough(const char* bytes, std::size_t size) const {
  std::size_t length = 0;
  for (std::size_t i = 0; i < size; ++i) length += U8_IS_TRAIL(bytes[i]) ? 0 : 1;
  if (length >= min_length_) return true;
  if (U8_IS_SINGLE(bytes[0])) return false;
  std::size_t position = 0;
  return classify(next_code_point({bytes, size}, position)) == CharClass::kAlone;
}

}  // namespace mhe::text

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "text/normalize.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include "base/check.h"
#include "base/checked.h"
#include "text/code_points.h"
#include "text/hash.h"
#include "text/make_room.h"
#include "text/utf8.h"

namespace mhe::text {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;

bool is_ascii_byte(char byte) noexcept {
  return static_cast<unsigned char>(byte) < 0x80;
}

bool is_word_byte(char byte) noexcept {
  return !is_ascii_byte(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9');
}

// What one step may write past the end of what is known to be needed: a word that is copied whole,
// or a code point with a space before and after it.
constexpr std::size_t kSlack = 16;

// Goes through one text, segment by segment: from a code point that normalises independently of
// what stands before it to the next such one.
class Pass {
 public:
  Pass(std::string_view text, NormalizeScratch& scratch)
      : table_(CodePointTable::instance()), text_(text), scratch_(scratch) {}

  std::string_view run() {
    std::size_t position = 0;
    while (position < text_.size()) {
      const std::size_t begin = position;
      position = copy_ascii(begin);
      if (position == text_.size()) break;
      // The segment may begin with the ASCII letter that the mark after it combines with.
      if (position > begin && !has_boundary_at(position)) {
        --position;
        --used_;
      }
      const std::size_t end = position;
      while (position < text_.size() && (!is_ascii_byte(text_[position]) || position == end)) {
        position = take_segment(position);
      }
    }
    return {scratch_.out.data(), used_};
  }

 private:
  [[nodiscard]] bool has_boundary_at(std::size_t position) const {
    return table_[next_code_point(text_, position)].boundary_before;
  }

  // Copies from `position` up to the next byte that is not ASCII, and returns where that is.
  std::size_t copy_ascii(std::size_t position) {
    if (!is_ascii_byte(text_[position])) return position;
    end_alone();
    make_room(scratch_.out, used_ + text_.size() - position + kSlack);
    const std::string_view rest = text_.substr(position);
    char* const out = scratch_.out.data() + used_;
    std::size_t size = 0;
    while (size + 8 <= rest.size()) {
      const std::uint64_t word = internal::load_word(rest.data() + size);
      std::memcpy(out + size, &word, sizeof word);
      const std::uint64_t high = word & kHighBits;
      if (high != 0) {
        size += static_cast<std::size_t>(std::countr_zero(high)) / 8;
        break;
      }
      size += 8;
    }
    for (; size < rest.size() && is_ascii_byte(rest[size]); ++size) out[size] = rest[size];
    used_ += size;
    return position + size;
  }

  // Normalises the segment at `begin` and returns where it ends.
  std::size_t take_segment(std::size_t begin) {
    std::size_t end = begin;
    const std::uint32_t first = next_code_point(text_, end);
    const std::size_t end_of_first = end;
    while (end < text_.size() && !is_ascii_byte(text_[end]) && !has_boundary_at(end)) {
      (void)next_code_point(text_, end);
    }
    const CodePoint properties = table_[first];
    if (end == end_of_first && properties.simple) {
      put(properties.mapped, properties.mapped_class);
    } else {
      put_by_icu(text_.substr(begin, end - begin));
    }
    return end;
  }

  void put_by_icu(std::string_view segment) {
    scratch_.segment.clear();
    for (std::size_t i = 0; i < segment.size();) {
      const std::uint32_t c = next_code_point(segment, i);
      if (c >= 0x10000) scratch_.segment.push_back(U16_LEAD(c));
      scratch_.segment.push_back(c >= 0x10000 ? U16_TRAIL(c) : static_cast<char16_t>(c));
    }
    const std::u16string_view source(scratch_.segment.data(), scratch_.segment.size());
    const IcuNormalizer& icu = IcuNormalizer::instance();
    scratch_.result.resize(std::max(scratch_.result.size(), 32 + 2 * source.size()));
    const std::size_t size = icu.normalize(source, scratch_.result);
    if (size > scratch_.result.size()) {
      scratch_.result.resize(size);
      (void)icu.normalize(source, scratch_.result);
    }
    for (std::size_t i = 0; i < size;) {
      std::uint32_t c = 0;
      U16_NEXT(scratch_.result.data(), i, size, c);
      put(c, classify_fast(c));
    }
  }

  // Normalised code points map to themselves, so the table has the class of most.
  [[nodiscard]] CharClass classify_fast(std::uint32_t c) const {
    const CodePoint properties = table_[c];
    return properties.simple && properties.mapped == c ? properties.mapped_class : classify(c);
  }

  void put(std::uint32_t c, CharClass char_class) {
    make_room(scratch_.out, used_ + kSlack);
    if (char_class == CharClass::kMark) {
      if (used_ > 0 && is_word_byte(scratch_.out[used_ - 1])) append(c);
      return;
    }
    end_alone();
    if (char_class == CharClass::kSeparator) {
      put_byte(' ');
      return;
    }
    if (char_class == CharClass::kAlone) {
      put_byte(' ');
      after_alone_ = true;
    }
    append(c);
  }

  void end_alone() {
    if (after_alone_) put_byte(' ');
    after_alone_ = false;
  }

  // Of the next two: put() and copy_ascii() have made the room.
  void put_byte(char byte) noexcept { scratch_.out[used_++] = byte; }
  void append(std::uint32_t c) noexcept { U8_APPEND_UNSAFE(scratch_.out.data(), used_, c); }

  const CodePointTable& table_;
  std::string_view text_;
  NormalizeScratch& scratch_;
  std::size_t used_ = 0;      // of scratch_.out
  bool after_alone_ = false;  // a space is due before anything but a mark
};

}  // namespace

const IcuNormalizer& IcuNormalizer::instance() {
  static const IcuNormalizer normalizer;
  return normalizer;
}

IcuNormalizer::IcuNormalizer() {
  UErrorCode status = U_ZERO_ERROR;
  normalizer_ = unorm2_getNFKCCasefoldInstance(&status);
  if (U_FAILURE(status)) {
    fail(ErrorCode::kInternal, "ICU cannot normalise text: {}", u_errorName(status));
  }
}

bool IcuNormalizer::has_boundary_before(std::uint32_t code_point) const noexcept {
  return unorm2_hasBoundaryBefore(normalizer_, static_cast<UChar32>(code_point)) != 0;
}

std::size_t IcuNormalizer::normalize(std::u16string_view text, std::span<char16_t> out) const {
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t size = unorm2_normalize(
      normalizer_, text.data(), checked_cast<std::int32_t>(text.size(), "text"), out.data(),
      checked_cast<std::int32_t>(out.size(), "normalised text"), &status);
  if (U_FAILURE(status) && status != U_BUFFER_OVERFLOW_ERROR) {
    fail(ErrorCode::kInternal, "ICU cannot normalise text: {}", u_errorName(status));
  }
  return static_cast<std::size_t>(size);
}

std::string_view normalize(std::string_view text, NormalizeScratch& scratch) {
  return Pass(text, scratch).run();
}

}  // namespace mhe::text

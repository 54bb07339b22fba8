// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

struct UNormalizer2;

namespace mhe::text {

/// ICU's NFKC_Casefold: compatibility composition, full case folding, ignorable code points away.
class IcuNormalizer {
 public:
  /// Throws kInternal if ICU has lost its data.
  [[nodiscard]] static const IcuNormalizer& instance();

  [[nodiscard]] bool has_boundary_before(std::uint32_t code_point) const noexcept;
  /// The number of UTF-16 units of the result; `out` holds the result only if that many fit.
  [[nodiscard]] std::size_t normalize(std::u16string_view text, std::span<char16_t> out) const;

 private:
  IcuNormalizer();
  const UNormalizer2* normalizer_ = nullptr;
};

/// Space for normalize(); reuse it, and calls stop allocating.
struct NormalizeScratch {
  std::vector<char> out;  // longer than what is used
  std::vector<char16_t> segment;
  std::vector<char16_t> result;
};

/// The text in NFKC_Casefold with words made plain to see: every byte from 0x80 up belongs to a
/// word, all other code points beyond ASCII having become spaces, and a letter that is a word by
/// itself has spaces around it and its marks. Valid until the scratch is used again.
///
/// ASCII is passed through as it is, capitals included, except where a following mark combines with
/// it: the tokeniser folds it in a loop of its own. Invalid UTF-8 separates words, as U+FFFD does.
/// The result is at most 12 times the text. ICU is asked only about sequences that do not normalise
/// code point by code point.
[[nodiscard]] std::string_view normalize(std::string_view text, NormalizeScratch& scratch);

}  // namespace mhe::text

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: what the text pipeline means, written plainly. ICU for every code point, maps,
// doubles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include "text/code_points.h"
#include "text/options.h"

namespace mhe::text::reference {

inline std::u16string to_utf16(std::string_view text) {
  std::u16string out(text.size() + 1, u'\0');
  std::int32_t size = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strFromUTF8WithSub(out.data(), static_cast<std::int32_t>(out.size()), &size, text.data(),
                       static_cast<std::int32_t>(text.size()), 0xFFFD, nullptr, &status);
  out.resize(static_cast<std::size_t>(size));
  return out;
}

inline std::u16string nfkc_casefold(const std::u16string& text) {
  UErrorCode status = U_ZERO_ERROR;
  std::u16string out(32 + 20 * text.size(), u'\0');
  const std::int32_t size = unorm2_normalize(unorm2_getNFKCCasefoldInstance(&status), text.data(),
                                             static_cast<std::int32_t>(text.size()), out.data(),
                                             static_cast<std::int32_t>(out.size()), &status);
  out.resize(static_cast<std::size_t>(size));
  return out;
}

inline std::string to_utf8(UChar32 c) {
  std::string out(4, '\0');
  std::int32_t size = 0;
  U8_APPEND_UNSAFE(out.data(), size, c);
  out.resize(static_cast<std::size_t>(size));
  return out;
}

using Word = std::vector<std::string>;  // its code points

inline std::string join(const Word& word) {
  std::string out;
  for (const std::string& c : word) out += c;
  return out;
}

inline std::vector<Word> words(std::string_view text, std::uint32_t min_length = 1) {
  const std::u16string normalized = nfkc_casefold(to_utf16(text));
  std::vector<Word> found;
  bool open = false;   // the last word may be continued
  bool alone = false;  // only by marks
  std::vector<bool> is_alone;
  for (std::size_t i = 0; i < normalized.size();) {
    UChar32 c = 0;
    U16_NEXT(normalized.data(), i, normalized.size(), c);
    const CharClass char_class = classify(static_cast<std::uint32_t>(c));
    if (char_class == CharClass::kSeparator) {
      open = false;
    } else if (char_class == CharClass::kMark) {
      if (open) found.back().push_back(to_utf8(c));
    } else {
      if (!open || alone || char_class == CharClass::kAlone) {
        found.emplace_back();
        is_alone.push_back(char_class == CharClass::kAlone);
      }
      found.back().push_back(to_utf8(c));
      open = true;
      alone = char_class == CharClass::kAlone;
    }
  }
  std::vector<Word> kept;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].size() >= min_length || is_alone[i]) kept.push_back(found[i]);
  }
  return kept;
}

/// Terms of a document with their counts, by the name of the feature.
inline std::map<std::string, int> count_terms(const Part& part,
                                              const std::vector<std::string>& fields,
                                              std::uint32_t min_length) {
  std::map<std::string, int> counts;
  for (const std::size_t field : part.fields) {
    std::vector<Word> tokens = words(fields[field], min_length);
    if (part.first_words > 0 && tokens.size() > part.first_words) tokens.resize(part.first_words);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::string gram;
      for (std::size_t n = 1; n <= part.word_ngrams && i + n <= tokens.size(); ++n) {
        gram += (n > 1 ? " " : "") + join(tokens[i + n - 1]);
        ++counts[part.prefix + gram];
      }
      Word padded = tokens[i];
      padded.insert(padded.begin(), "<");
      padded.emplace_back(">");
      for (std::size_t n = std::max(1U, part.char_min); n <= part.char_max; ++n) {
        for (std::size_t j = 0; j + n <= padded.size(); ++j) {
          const auto from = padded.begin() + static_cast<std::ptrdiff_t>(j);
          ++counts[part.prefix + "#" + join(Word(from, from + static_cast<std::ptrdiff_t>(n)))];
        }
      }
    }
  }
  return counts;
}

/// The TF-IDF vectors of documents, by the names of the features.
inline std::vector<std::map<std::string, double>> tf_idf(
    const TextOptions& options, const std::vector<std::vector<std::string>>& documents) {
  const std::vector<Part> parts = make_parts(options);
  std::map<std::string, int> df;
  for (const auto& document : documents) {
    for (const Part& part : parts) {
      for (const auto& [name, count] : count_terms(part, document, options.min_token_length))
        ++df[name];
    }
  }
  const auto n = static_cast<double>(documents.size());
  std::vector<std::map<std::string, double>> rows;
  for (const auto& document : documents) {
    std::map<std::string, double> row;
    double whole = 0;
    for (const Part& part : parts) {
      std::map<std::string, double> values;
      double squares = 0;
      for (const auto& [name, count] : count_terms(part, document, options.min_token_length)) {
        const int f = df[name];
        if (f < static_cast<int>(options.min_df) || f > options.max_df * n) continue;
        const double tf = options.binary ? 1 : options.sublinear_tf ? 1 + std::log(count) : count;
        values[name] = tf * (options.idf ? std::log((1 + n) / (1 + f)) + 1 : 1);
        squares += values[name] * values[name];
      }
      const double scale = part.weight / (options.l2_norm && squares > 0 ? std::sqrt(squares) : 1);
      for (const auto& [name, value] : values) whole += std::pow(row[name] = value * scale, 2);
    }
    if (options.l2_norm && whole > 0) {
      for (auto& [name, value] : row) value /= std::sqrt(whole);
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace mhe::text::reference

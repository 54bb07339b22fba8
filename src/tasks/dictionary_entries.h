// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// From the text of a dictionary's entry to definitions: one parser for each way of writing entries.
// They never fail: what they do not understand, they leave out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mhe::tasks {

/// Words and one thing that they mean.
struct Sense {
  std::vector<std::string> words;  ///< as written
  std::string definition;          ///< one line
};

/// The GNU Collaborative International Dictionary of English: "Clue \Clue\ (kl[=u]), n. [See ...]",
/// then senses, numbered or not, quotations, notes. Quotations, notes, synonyms and examples are
/// left out, and senses that are marked as taken from WordNet.
[[nodiscard]] std::vector<Sense> parse_gcide_entry(std::string_view entry);

/// The Free On-line Dictionary of Computing: headwords, an empty line, paragraphs, of which the
/// first is taken.
[[nodiscard]] std::vector<Sense> parse_foldoc_entry(std::string_view entry);

/// Dictionaries that WikDict makes of Wiktionary, from English to any language: a headword with
/// pronunciations and word class, then translations, each followed by an English gloss.
[[nodiscard]] std::vector<Sense> parse_wikdict_entry(std::string_view entry);

}  // namespace mhe::tasks

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Definitions as rows of a task, and what keeps the held-out ones honest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mhe/context.h>

#include "tasks/task.h"
#include "tasks/word_forms.h"

namespace mhe::tasks {

/// A definition and the words it defines, in lower case, ascending, each once.
struct DefinitionRow {
  Split split = Split::kTrain;
  std::string text;
  std::vector<std::string> labels;
  std::uint64_t words_hash = 0;  ///< of its words in their order; guard_definitions() sets it
};

/// What was left out, for a person to read.
struct DefinitionLosses {
  std::uint64_t too_short = 0;        ///< fewer than two words without the headword
  std::uint64_t repeated = 0;         ///< the same text for the same words
  std::uint64_t ambiguous = 0;        ///< texts that more than ten words share: "male given name"
  std::uint64_t near_duplicates = 0;  ///< of a held-out definition of the same word
  std::uint64_t rare_labels = 0;      ///< labels of fewer than two training rows
};

/// A label as it is written: lower case, single blanks. Empty if it cannot be one: with a comma, or
/// without a letter or digit.
[[nodiscard]] std::string label_of_word(std::string_view word);

/// Whether one definition was written with a look at the other: they share seven tenths of the
/// words of both (Jaccard), or nine tenths of those of the shorter one, if it has at least five.
/// Short glosses of one meaning share half of their words anyway: "a swaggering show of courage",
/// "a false show of courage".
[[nodiscard]] bool are_near_duplicates(const std::vector<std::uint64_t>& words,
                                       const std::vector<std::uint64_t>& other_words);

/// Hashes of the words of a text, ascending, each once.
[[nodiscard]] std::vector<std::uint64_t> word_hashes(std::string_view text);

/// Takes headwords and their inflections out of the definitions, which are cut to 80 words, and
/// leaves out rows and labels for the reasons in DefinitionLosses. Near-duplicates are looked for
/// in train for dev and test, and in dev for test. Rows keep their order.
DefinitionLosses guard_definitions(const Context& context, const WordForms& forms,
                                   std::vector<DefinitionRow>& rows);

}  // namespace mhe::tasks

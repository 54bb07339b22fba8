// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <mhe/context.h>

#include "tasks/task.h"

namespace mhe::tasks {

struct ReverseDictionaryOptions {
  std::string wordnet = "/usr/share/wordnet";  ///< data.noun, noun.exc and so on
  std::string dictd = "/usr/share/dictd";      ///< gcide.index, gcide.dict.dz and so on
  std::vector<std::pair<std::string, std::string>> versions;  ///< of the packages; for task.json
};

/// The Debian packages that the task is made from.
[[nodiscard]] std::vector<std::string> reverse_dictionary_packages();

/// Definition -> the words it defines, from WordNet, GCIDE, FOLDOC and the glosses of five
/// dictionaries made of Wiktionary. Test is a tenth of WordNet's synsets, dev a twentieth, by the
/// hash of their ids; see definition_rows.h for what is left out. Columns: text, labels.
///
/// Memory: about 300 MB. Throws kNotFound or kInvalidData for files that are missing or damaged.
TaskResult build_reverse_dictionary(const Context& context, const ReverseDictionaryOptions& options,
                                    const TaskOutput& output);

}  // namespace mhe::tasks

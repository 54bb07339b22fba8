// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as WordNet's data and as its list of exceptions; words are taken out of definitions.
#include <cstdlib>

#include "memory_source.h"
#include "read_fuzzed.h"
#include "tasks/word_forms.h"
#include "tasks/wordnet.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mhe::tasks;  // NOLINT(google-build-using-namespace): a program of one function
  const std::string_view text = mhe::fuzz::as_text(data, size);
  WordForms forms;
  try {
    forms.add_exceptions(mhe::data::make_memory_source("fuzzed", text));
  } catch (const mhe::Error&) {
    // The rest may be right all the same.
  }
  try {
    for (const Synset& synset : read_synsets(mhe::data::make_memory_source("fuzzed", text))) {
      const std::string kept = forms.remove_forms(synset.definition, synset.words);
      if (kept.size() > synset.definition.size()) std::abort();
    }
  } catch (const mhe::Error&) {
    return 0;
  }
  return 0;
}

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Princeton WordNet's database files, as the package wordnet-base has them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"

namespace mhe::tasks {

/// A set of synonyms and what they mean.
struct Synset {
  std::string id;                  ///< part of speech and place in the file, such as "n00001740"
  std::vector<std::string> words;  ///< as written, with blanks
  std::string definition;          ///< the gloss without its examples
};

/// Parses a line of data.noun and the like; `place` is named in errors. Throws kInvalidData.
[[nodiscard]] Synset parse_synset(std::string_view line, std::string_view place);

/// All synsets of a data file; the licence, lines that begin with a blank, is skipped.
[[nodiscard]] std::vector<Synset> read_synsets(std::unique_ptr<data::ByteSource> source);

}  // namespace mhe::tasks

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Dictionaries as the DICT server keeps them: NAME.index, lines of headword, offset and length in a
// base 64 of its own, and NAME.dict.dz, the texts, compressed so that gzip reads them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"

namespace mhe::tasks {

/// Where a text lies.
struct DictdEntry {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend bool operator==(const DictdEntry&, const DictdEntry&) = default;
};

/// The number that `digits` stand for, most significant first. Throws kInvalidData.
[[nodiscard]] std::uint64_t parse_dictd_number(std::string_view digits, std::string_view place);

/// The places of all texts but those about the dictionary itself (00-database-...), in the order of
/// the file, each once, whatever the number of headwords that lead to it.
[[nodiscard]] std::vector<DictdEntry> read_dictd_index(std::unique_ptr<data::ByteSource> source);

/// A dictionary in memory.
class Dictd {
 public:
  /// Throws kInvalidData if an entry lies beyond the text, which `name` stands for.
  Dictd(std::string text, std::vector<DictdEntry> entries, const std::string& name);
  /// Reads DIRECTORY/NAME.index and .dict.dz. Throws kNotFound.
  [[nodiscard]] static Dictd open(const std::string& directory, const std::string& name);

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t entry) const noexcept {
    return std::string_view(text_).substr(entries_[entry].offset, entries_[entry].size);
  }

 private:
  std::string text_;
  std::vector<DictdEntry> entries_;
};

}  // namespace mhe::tasks

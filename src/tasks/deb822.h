// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/byte_source.h"
#include "tasks/lines.h"

namespace mhe::tasks {

/// One paragraph of a Debian control file: fields in the order of the file.
class Stanza {
 public:
  /// The value of a field, by its name without regard to case; empty if there is none. Lines after
  /// the first are joined by line breaks, each without the blank that it begins with.
  [[nodiscard]] std::string_view operator[](std::string_view name) const;
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& fields() const noexcept {
    return fields_;
  }

 private:
  friend class Deb822Reader;
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Reads a control file as apt and dpkg write them (deb822): "Field: value" lines, continued by
/// lines that begin with a blank; paragraphs apart by empty lines; # begins a comment line.
class Deb822Reader {
 public:
  explicit Deb822Reader(std::unique_ptr<data::ByteSource> source) : lines_(std::move(source)) {}

  /// Replaces `stanza` by the next one; false at the end. Throws kInvalidData, naming file and
  /// line, if a line is neither, a field comes twice, or a paragraph is larger than 16 MiB.
  [[nodiscard]] bool next(Stanza& stanza);

  [[nodiscard]] std::string place() const { return lines_.place(); }

 private:
  void add_line(std::string_view line, Stanza& stanza) const;

  LineReader lines_;
  std::string line_;
};

}  // namespace mhe::tasks

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/byte_source.h"

namespace mhe::tasks {

/// The lines of a source, one by one, without their ends.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<data::ByteSource> source);

  /// Replaces `line` by the next one; false at the end. Throws kInvalidData for a line of more
  /// than 16 MiB, which no file that we read has.
  [[nodiscard]] bool next(std::string& line);

  /// "file:17", of the line that next() gave last.
  [[nodiscard]] std::string place() const;
  [[nodiscard]] const data::ByteSource& source() const noexcept { return *source_; }

 private:
  std::unique_ptr<data::ByteSource> source_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of what is left in the buffer
  std::size_t end_ = 0;
  std::uint64_t line_ = 0;
};

/// A file, decompressed if it is compressed.
[[nodiscard]] std::unique_ptr<data::ByteSource> open_decompressed(const std::string& path);

/// All of a source. Throws kResourceLimit beyond `most` bytes.
[[nodiscard]] std::string read_all(data::ByteSource& source, std::size_t most);

/// `text` without white space at its ends and with single blanks inside.
[[nodiscard]] std::string squeeze_blanks(std::string_view text);

}  // namespace mhe::tasks

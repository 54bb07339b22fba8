// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"

namespace mhe::data {

/// A ZIP archive for reading. Several members may be read side by side, by one thread.
class ZipArchive {
 public:
  /// Opens the archive that `source` holds: in its file if it is a plain one, else it is read into
  /// memory as it is. Throws kInvalidData if it is not an archive.
  explicit ZipArchive(std::unique_ptr<ByteSource> source);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  [[nodiscard]] std::vector<std::string> members() const;
  [[nodiscard]] bool has(std::string_view member) const;
  /// The uncompressed bytes of a member; the archive must outlive it. Throws kInvalidData.
  [[nodiscard]] std::unique_ptr<ByteSource> open(const std::string& member) const;

  [[nodiscard]] const ByteSource& source() const noexcept { return *source_; }

 private:
  struct Handle;
  std::unique_ptr<ByteSource> source_;
  std::string bytes_;  // empty if the archive is read from its file
  std::unique_ptr<Handle> handle_;
};

}  // namespace mhe::data

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace mhe {

/// A file that appears whole or not at all: written beside its final name, then synced and renamed.
///
/// If commit() is not reached, whatever stood at the path before stays as it was and nothing is
/// left beside it, even after kill -9 where the file system knows unnamed files. A path that exists
/// but is no regular file (a pipe, /dev/null) is written directly, as is "-", standard output.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Writes all bytes; throws kIo, naming the path and the reason.
  void write(std::string_view bytes);

  /// Makes the file appear. Call once, last.
  void commit();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  void open_temporary();
  void name_temporary();
  [[noreturn]] void fail_io(std::string_view action) const;

  std::string path_;
  std::string temporary_path_;  // empty if written directly or the file has no name yet
  bool direct_ = false;         // no rename at the end: a pipe, a device, standard output
  int descriptor_ = -1;
};

}  // namespace mhe

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mhe::tasks {

/// Whether a directory that is there already may be replaced.
enum class Existing { kRefuse, kReplace };

/// A directory that appears whole or not at all: filled as PATH.partial, renamed at the end.
///
/// What an earlier run that was killed has left of PATH.partial is removed first. kReplace replaces
/// only a directory that is empty or holds kMarker, which every task writes: no typing error may
/// cost somebody another directory.
class OutputDirectory {
 public:
  /// The file by which a directory is known to be ours.
  static constexpr std::string_view kMarker = "task.json";

  /// Throws kInvalidArgument if the path exists and may not be replaced, kIo if the system refuses
  /// or another run is at work on it.
  OutputDirectory(std::string path, Existing existing);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  /// Where to write a file of that name now.
  [[nodiscard]] std::string file(std::string_view name) const;
  /// Makes the directory appear. Call once, last.
  void commit();

 private:
  [[noreturn]] void fail_io(std::string_view action) const;
  void lock();

  std::string path_;
  std::string partial_;
  int descriptor_ = -1;  // of the partial directory, locked
  bool committed_ = false;
};

}  // namespace mhe::tasks

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mhe {

/// A directory of its own that goes with all that is in it; what is mapped from there stays mapped.
class TemporaryDirectory {
 public:
  /// `name` begins its name, among the system's temporary files. Throws kIo.
  explicit TemporaryDirectory(std::string_view name);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace mhe

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include <unistd.h>

#include <mhe/dataset.h>

#include "base/check.h"

namespace mhe {

void check_writable(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    fail(ErrorCode::kInvalidArgument, "{} is a directory; expected a file to write", path);
  }
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (!directory.empty() && !std::filesystem::is_directory(directory)) {
    fail(ErrorCode::kIo, "cannot create {}: there is no directory {}", path, directory.string());
  }
  // Better now than after training. What is not a regular file is written as it is.
  std::error_code ignored;
  const bool is_special =
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  const std::string place = is_special ? path : directory.empty() ? "." : directory.string();
  if (::access(place.c_str(), W_OK) != 0) {
    fail(ErrorCode::kIo, "cannot create {}: {}", path, std::generic_category().message(errno));
  }
}

}  // namespace mhe

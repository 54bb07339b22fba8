// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/temporary_directory.h"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp

#include "base/check.h"

namespace mhe {

TemporaryDirectory::TemporaryDirectory(std::string_view name) {
  std::error_code status;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(status);
  if (status) fail(ErrorCode::kIo, "no directory for temporary files: {}", status.message());
  std::string pattern = (parent / fmt::format("{}-XXXXXX", name)).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    fail(ErrorCode::kIo, "cannot create {}: {}", pattern, std::generic_category().message(errno));
  }
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;  // nothing better can be done about it here
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace mhe

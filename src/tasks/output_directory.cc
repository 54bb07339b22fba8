// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/output_directory.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

namespace mhe::tasks {
namespace {

namespace fs = std::filesystem;

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

void check_existing(const fs::path& path, Existing existing) {
  std::error_code status;
  if (!fs::exists(fs::symlink_status(path, status))) return;
  require(fs::is_directory(fs::symlink_status(path, status)),
          "{} exists and is no directory; expected a directory to create", path.string());
  if (fs::is_empty(path, status)) return;
  require(existing == Existing::kReplace,
          "{} exists already; name another directory, or replace it with --force", path.string());
  require(fs::exists(path / OutputDirectory::kMarker, status),
          "{} is not replaced: it holds no {}, so it was not made by mhe data", path.string(),
          OutputDirectory::kMarker);
}

}  // namespace

OutputDirectory::OutputDirectory(std::string path, Existing existing)
    : path_(without_trailing_slashes(std::move(path))), partial_(path_ + ".partial") {
  require(!path_.empty(), "the name of the directory to create is empty");
  check_existing(path_, existing);
  if (::mkdir(partial_.c_str(), 0777) != 0 && errno != EEXIST) fail_io("create");
  lock();
  for (const auto& leftover : fs::directory_iterator(partial_)) fs::remove_all(leftover.path());
}

void OutputDirectory::lock() {
  descriptor_ = ::open(partial_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) fail_io("open");
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(descriptor_);
  fail(ErrorCode::kIo, "another run is writing {}", path_);
}

OutputDirectory::~OutputDirectory() {
  std::error_code ignored;  // nothing better can be done about it here
  if (!committed_) fs::remove_all(partial_, ignored);
  ::close(descriptor_);
}

std::string OutputDirectory::file(std::string_view name) const {
  return (fs::path(partial_) / name).string();
}

void OutputDirectory::commit() {
  ::fsync(descriptor_);
  if (::rename(partial_.c_str(), path_.c_str()) == 0) {  // also over an empty directory
    committed_ = true;
    return;
  }
  if (errno != ENOTEMPTY && errno != EEXIST) fail_io("rename");
  // The old one goes only when the new one stands in its place.
  if (::renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) != 0) {
    fail_io("rename");
  }
  committed_ = true;
  fs::remove_all(partial_);
}

void OutputDirectory::fail_io(std::string_view action) const {
  fail(ErrorCode::kIo, "cannot {} {}: {}", action, partial_,
       std::generic_category().message(errno));
}

}  // namespace mhe::tasks

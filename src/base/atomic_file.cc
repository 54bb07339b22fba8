// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/atomic_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

namespace mhe {
namespace {

bool is_special_file(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

std::string parent_directory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    direct_ = true;
    descriptor_ = ::dup(STDOUT_FILENO);
  } else if (is_special_file(path_)) {
    direct_ = true;
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    open_temporary();
  }
  if (descriptor_ < 0) fail_io("create");
}

void AtomicFile::open_temporary() {
  descriptor_ = ::open(parent_directory(path_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor_ >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return;
  temporary_path_ = path_ + ".XXXXXX";
  descriptor_ = ::mkostemp(temporary_path_.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    temporary_path_.clear();
    return;
  }
  // mkostemp creates files only their owner can read; give what open() would have given.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor_, 0666 & ~mask);
}

// A link cannot replace an existing file and a rename can, hence a name in between.
void AtomicFile::name_temporary() {
  const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
  for (int attempt = 0;; ++attempt) {
    std::string name = fmt::format("{}.{}.{}", path_, ::getpid(), attempt);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_path_ = std::move(name);
      return;
    }
    if (errno != EEXIST || attempt == 100) fail_io("create");
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_io("write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  MHE_ASSERT(descriptor_ >= 0);
  if (direct_) {
    if (::close(std::exchange(descriptor_, -1)) != 0) fail_io("write");
    return;
  }
  if (::fsync(descriptor_) != 0) fail_io("write");
  if (temporary_path_.empty()) name_temporary();
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_io("write");
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) fail_io("create");
  temporary_path_.clear();
  // The rename itself lasts only once the directory is on disk; a file system that cannot sync
  // directories has done what it can.
  const int directory = ::open(parent_directory(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
}

void AtomicFile::fail_io(std::string_view action) const {
  const int reason = errno;
  const std::string_view name = path_ == "-" ? "standard output" : std::string_view(path_);
  fail(ErrorCode::kIo, "cannot {} {}: {}", action, name, std::generic_category().message(reason));
}

}  // namespace mhe

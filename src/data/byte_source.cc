// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/byte_source.h"

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

namespace mhe::data {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, int descriptor, std::uint64_t total)
      : ByteSource(std::move(name)), descriptor_(descriptor), total_(total) {}
  ~FileSource() override { ::close(descriptor_); }

  std::size_t read(std::span<char> out) override {
    while (true) {
      const ssize_t got = ::read(descriptor_, out.data(), out.size());
      if (got >= 0) {
        consumed_ += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR) {
        fail(ErrorCode::kIo, "cannot read {}: {}", name(), std::generic_category().message(errno));
      }
    }
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return consumed_; }
  [[nodiscard]] std::uint64_t total() const noexcept override { return total_; }
  [[nodiscard]] std::string random_access_path() const override { return total_ > 0 ? name() : ""; }

 private:
  int descriptor_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> consumed_ = 0;  // a read-ahead thread reads, another asks
};

}  // namespace

std::unique_ptr<ByteSource> open_file_source(const std::string& path) {
  const bool standard_input = path == "-";
  const int descriptor = standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                        : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string name = standard_input ? "standard input" : path;
  if (descriptor < 0) {
    const auto code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    fail(code, "cannot open {}: {}", name, std::generic_category().message(errno));
  }
  struct stat status = {};
  const bool known = ::fstat(descriptor, &status) == 0;
  const bool regular = known && S_ISREG(status.st_mode);
  auto source = std::make_unique<FileSource>(
      std::move(name), descriptor,
      regular && !standard_input ? static_cast<std::uint64_t>(status.st_size) : 0);
  if (known && S_ISDIR(status.st_mode)) {
    fail(ErrorCode::kIo, "{} is a directory, expected a data file", source->name());
  }
  return source;
}

bool is_stream(const std::string& path) {
  if (path == "-") return true;
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return false;  // opening it will say why
  return !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace mhe::data

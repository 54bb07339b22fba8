// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

namespace mhe {
namespace {

constexpr std::align_val_t kHeapAlignment{64};  // what a mapping's page boundary gives as well

class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail_open(const std::string& path) {
  const int reason = errno;
  fail(reason == ENOENT || reason == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo,
       "cannot open {}: {}", path, std::generic_category().message(reason));
}

// The size of a file that can be mapped.
std::size_t size_to_map(const Descriptor& file, const std::string& path) {
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) fail_open(path);
  if (S_ISDIR(status.st_mode)) {
    fail(ErrorCode::kInvalidData, "{} is a directory; expected a file", path);
  }
  if (!S_ISREG(status.st_mode)) {
    fail(ErrorCode::kInvalidData,
         "{} is not a regular file; a pipe or device cannot be mapped into memory", path);
  }
  if (status.st_size == 0) fail(ErrorCode::kInvalidData, "{} is empty", path);
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

MappedFile MappedFile::open(const std::string& path) {
  // O_NONBLOCK: opening a pipe nobody writes to would wait for ever, only to be refused.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) fail_open(path);
  const std::size_t size = size_to_map(file, path);
  void* begin = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number(), 0);
  if (begin == MAP_FAILED) fail_open(path);
  return {path, static_cast<std::byte*>(begin), size, Storage::kMapping};
}

MappedFile MappedFile::in_memory(std::span<const std::byte> bytes, std::string name) {
  if (bytes.empty()) fail(ErrorCode::kInvalidData, "{} is empty", name);
  auto* begin = static_cast<std::byte*>(::operator new(bytes.size(), kHeapAlignment));
  std::copy(bytes.begin(), bytes.end(), begin);
  return {std::move(name), begin, bytes.size(), Storage::kHeap};
}

MappedFile::MappedFile(std::string path, std::byte* begin, std::size_t size,
                       Storage storage) noexcept
    : path_(std::move(path)), begin_(begin), size_(size), storage_(storage) {}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      begin_(std::exchange(other.begin_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      storage_(other.storage_) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  std::swap(storage_, other.storage_);
  return *this;
}

void MappedFile::forget(std::span<const std::byte> part) const noexcept {
  if (storage_ != Storage::kMapping || part.empty()) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto offset = static_cast<std::size_t>(part.data() - begin_);
  // A mapping is never written to, so that what is read again is the same.
  const std::size_t begin = (offset + page - 1) / page * page;
  const std::size_t end = (offset + part.size()) / page * page;
  if (begin < end) (void)::madvise(begin_ + begin, end - begin, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (begin_ == nullptr) return;
  if (storage_ == Storage::kMapping) {
    ::munmap(begin_, size_);
  } else {
    ::operator delete(begin_, kHeapAlignment);
  }
}

}  // namespace mhe

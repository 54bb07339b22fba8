// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace mhe {

/// A file's bytes, mapped read-only: opening costs nothing, processes share the pages.
///
/// bytes() starts at a multiple of 64 and stays where it is when the object is moved. A file that
/// is replaced by a rename meanwhile is no harm (AtomicFile does so); one that another program
/// shortens in place makes the system end us with SIGBUS, as with every mapped file.
class MappedFile {
 public:
  /// Throws kNotFound or kIo with the reason; an empty file or one that is not a regular file is
  /// kInvalidData.
  [[nodiscard]] static MappedFile open(const std::string& path);

  /// The same around a copy of `bytes`; `name` stands for the path.
  [[nodiscard]] static MappedFile in_memory(std::span<const std::byte> bytes, std::string name);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {begin_, size_}; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Pages that lie within `part` of bytes() no longer count as memory of the process, until they
  /// are read again. For what is read once and may be large.
  void forget(std::span<const std::byte> part) const noexcept;

 private:
  enum class Storage { kMapping, kHeap };
  MappedFile(std::string path, std::byte* begin, std::size_t size, Storage storage) noexcept;

  std::string path_;
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
  Storage storage_ = Storage::kHeap;
};

}  // namespace mhe

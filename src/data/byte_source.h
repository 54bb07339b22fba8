// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where bytes come from: files, standard input, memory; compressed or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mhe::data {

/// A stream of bytes, read once from front to back by one thread.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Fills a front part of `out`, which must not be empty, and returns its length; 0 only at the
  /// end. Throws kIo if the system fails and kInvalidData if compressed data is damaged.
  [[nodiscard]] virtual std::size_t read(std::span<char> out) = 0;

  /// Bytes taken from the file itself so far, compressed if it is; may be asked from any thread.
  [[nodiscard]] virtual std::uint64_t consumed() const noexcept = 0;
  /// Size of the file itself; 0 if it is empty or its size is not known.
  [[nodiscard]] virtual std::uint64_t total() const noexcept = 0;

  /// Where the same bytes can be read at random: the path of a plain regular file; empty if
  /// nowhere.
  [[nodiscard]] virtual std::string random_access_path() const { return {}; }

  /// What to call it in messages.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// The bytes of a file as they are; "-" is standard input. Throws kNotFound or kIo.
[[nodiscard]] std::unique_ptr<ByteSource> open_file_source(const std::string& path);

/// Whether the bytes can be read once only: standard input, a pipe.
[[nodiscard]] bool is_stream(const std::string& path);

/// The content of `raw`, decompressed if it begins like gzip, xz or zstd; several members or frames
/// one after the other are read as one. Blocks of an xz file are decoded on up to `threads`
/// threads, within 1 GiB.
[[nodiscard]] std::unique_ptr<ByteSource> decompress_if_needed(std::unique_ptr<ByteSource> raw,
                                                               std::size_t threads);

/// The same bytes, read on a separate thread up to 4 MiB ahead, so that reading and decompression
/// overlap with whatever the caller does. Errors come out of read().
[[nodiscard]] std::unique_ptr<ByteSource> make_read_ahead_source(std::unique_ptr<ByteSource> inner);

}  // namespace mhe::data

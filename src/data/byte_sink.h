// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where bytes go: files that appear whole or not at all, compressed or not, and temporary ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace mhe::data {

/// Takes bytes from front to back.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  virtual void write(std::string_view bytes) = 0;
  /// Completes the file and makes it appear. Call once, last.
  virtual void finish() = 0;

 protected:
  ByteSink() = default;
};

/// A file, compressed if its name ends in .gz, .xz or .zst; "-" is standard output. The same bytes
/// give the same file for any number of threads.
[[nodiscard]] std::unique_ptr<ByteSink> open_sink(const std::string& path, std::size_t threads);

/// `path` without .gz, .xz or .zst at its end.
[[nodiscard]] std::string_view without_compression(std::string_view path);

/// Bytes set aside on disk, to be read back when what goes before them is known.
class SpoolFile {
 public:
  /// A nameless file in the directory of `beside`, where there is room for the result as well.
  explicit SpoolFile(const std::string& beside);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  void write(std::string_view bytes);
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Calls visit(piece) with all that was written, in pieces.
  void replay(const std::function<void(std::string_view piece)>& visit);

 private:
  void flush();
  [[noreturn]] void fail_io(std::string_view action) const;

  std::string directory_;
  std::string buffer_;  // small writes gather here
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace mhe::data

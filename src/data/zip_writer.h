// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_sink.h"

namespace mhe::data {

/// Writes a ZIP archive of uncompressed members to a stream, as NumPy does. The same members give
/// the same bytes: no times in it. Members and archives beyond 4 GiB get ZIP64 records.
class ZipWriter {
 public:
  explicit ZipWriter(ByteSink& sink) : sink_(sink) {}

  /// Gives the bytes of a member piece by piece; is called twice and must give the same.
  using Content = std::function<void(const std::function<void(std::string_view piece)>& visit)>;

  void add(const std::string& name, const Content& content);
  /// Writes the directory. Call once, last.
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint32_t checksum = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
  };

  void write(std::string_view bytes);

  ByteSink& sink_;
  std::uint64_t written_ = 0;
  std::vector<Member> members_;
};

/// The header of a .npy file for an array in C order; `descr` as NumPy writes it, such as "<f4".
[[nodiscard]] std::string npy_header(std::string_view descr,
                                     const std::vector<std::uint64_t>& shape);

}  // namespace mhe::data

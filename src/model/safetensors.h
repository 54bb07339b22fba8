// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The safetensors format, whoever wrote the file: 8 bytes of header length, a JSON header, the
// data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "model/dtype.h"

namespace mhe::model {

using Shape = std::vector<std::uint64_t>;

/// What the header says of a tensor.
struct TensorInfo {
  std::string name;
  Dtype dtype = Dtype::kU8;
  Shape shape;              ///< row-major; empty for a scalar
  std::uint64_t begin = 0;  ///< first byte, counted from the start of the data
  std::uint64_t end = 0;    ///< one past the last

  [[nodiscard]] std::uint64_t num_bytes() const noexcept { return end - begin; }
};

inline constexpr std::uint64_t kLengthBytes = 8;               ///< before the header
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  ///< the limit of the format
inline constexpr std::string_view kMetadataKey = "__metadata__";

/// A safetensors file whose header has been read and found sound: every tensor has the bytes its
/// type and shape need, no two overlap, none lies outside, and together they are all the data.
class SafetensorsFile {
 public:
  /// Reads the header and nothing else; memory for a moment is about eight times the header's.
  /// Throws kInvalidData in one line: file, what is wrong, where.
  explicit SafetensorsFile(MappedFile file);

  [[nodiscard]] const std::string& path() const noexcept { return file_.path(); }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return file_.bytes(); }
  /// The length, the header and its padding: everything before the data.
  [[nodiscard]] std::size_t data_start() const noexcept { return data_start_; }
  [[nodiscard]] std::span<const std::byte> bytes_of(const TensorInfo& tensor) const noexcept {
    return bytes().subspan(data_start_ + tensor.begin, tensor.num_bytes());
  }

  /// In the order of their data.
  [[nodiscard]] const std::vector<TensorInfo>& tensors() const noexcept { return tensors_; }
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& metadata() const noexcept {
    return metadata_;
  }
  /// The tensor of this name, or nullptr. O(log n).
  [[nodiscard]] const TensorInfo* find(std::string_view name) const noexcept;

 private:
  MappedFile file_;
  std::size_t data_start_ = 0;
  std::map<std::string, std::string, std::less<>> metadata_;
  std::vector<TensorInfo> tensors_;
  std::vector<std::size_t> by_name_;  // positions in tensors_
};

/// Bytes of a tensor; throws kInvalidData, naming `where`, if they cannot be counted in 64 bits.
[[nodiscard]] std::uint64_t count_bytes(Dtype dtype, std::span<const std::uint64_t> shape,
                                        std::string_view where);

/// Text from a file that nobody vouches for, fit for a terminal: control characters escaped, and
/// cut, with "...", where it is longer than `max_bytes`.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes);

/// printable() for a name in a message: in quotes, of moderate length.
[[nodiscard]] std::string in_quotes(std::string_view name);

}  // namespace mhe::model

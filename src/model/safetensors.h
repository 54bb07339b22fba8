// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The safetensors format, whoever wrote the file: 8 bytes of header length, a JSON header, the
// data.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/mapped_file.h"

namespace mhe::model {

enum class Dtype : std::uint8_t {
  kU8,
  kI8,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kI64,
  kU64,
  kF64,
  // Of other people's files only, so that mhe inspect can list them.
  kBool,
  kI16,
  kF8E4M3,
  kF8E5M2,
  kF8E8M0,
  kC64,
};

/// Such as "BF16".
[[nodiscard]] std::string_view name_of(Dtype dtype) noexcept;
/// Bytes of one element.
[[nodiscard]] std::size_t size_of(Dtype dtype) noexcept;
[[nodiscard]] std::optional<Dtype> find_dtype(std::string_view name) noexcept;

/// The dtype that holds T; 16-bit floats have no C++ type, so they are named where they are used.
template <class T>
inline constexpr Dtype kDtypeOf = [] {
  static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, std::byte>);
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? Dtype::kF32 : Dtype::kF64;
  constexpr std::array kSigned = {Dtype::kI8, Dtype::kI16, Dtype::kI32, Dtype::kI64};
  constexpr std::array kUnsigned = {Dtype::kU8, Dtype::kU16, Dtype::kU32, Dtype::kU64};
  const auto size = static_cast<std::size_t>(std::countr_zero(sizeof(T)));
  const bool is_signed = std::is_signed_v<T> && !std::is_same_v<T, char>;
  return is_signed ? kSigned[size] : kUnsigned[size];
}();

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

/// Throws kInvalidData: the path, then what is wrong.
template <typename... Args>
[[noreturn]] void fail_file(const std::string& path, fmt::format_string<Args...> format,
                            Args&&... args) {
  fail(ErrorCode::kInvalidData, "{}: {}", path, fmt::format(format, std::forward<Args>(args)...));
}

/// Bytes of a tensor; throws kInvalidData, naming `where`, if they cannot be counted in 64 bits.
[[nodiscard]] std::uint64_t count_bytes(Dtype dtype, std::span<const std::uint64_t> shape,
                                        std::string_view where);

/// Text from a file that nobody vouches for, fit for a terminal: control characters escaped, and
/// cut, with "...", where it is longer than `max_bytes`.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes);

/// printable() for a name in a message: in quotes, of moderate length.
[[nodiscard]] std::string in_quotes(std::string_view name);

}  // namespace mhe::model

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Element types of tensors in a file, under their names in the safetensors format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

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
inline constexpr Dtype kDtypeOf = T::has_no_dtype;
template <>
inline constexpr Dtype kDtypeOf<char> = Dtype::kU8;
template <>
inline constexpr Dtype kDtypeOf<std::byte> = Dtype::kU8;
template <>
inline constexpr Dtype kDtypeOf<std::uint8_t> = Dtype::kU8;
template <>
inline constexpr Dtype kDtypeOf<std::int8_t> = Dtype::kI8;
template <>
inline constexpr Dtype kDtypeOf<std::uint16_t> = Dtype::kU16;
template <>
inline constexpr Dtype kDtypeOf<std::int32_t> = Dtype::kI32;
template <>
inline constexpr Dtype kDtypeOf<std::uint32_t> = Dtype::kU32;
template <>
inline constexpr Dtype kDtypeOf<float> = Dtype::kF32;
template <>
inline constexpr Dtype kDtypeOf<std::int64_t> = Dtype::kI64;
template <>
inline constexpr Dtype kDtypeOf<std::uint64_t> = Dtype::kU64;
template <>
inline constexpr Dtype kDtypeOf<double> = Dtype::kF64;

}  // namespace mhe::model

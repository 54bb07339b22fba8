// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/context.h>

#include "model/safetensors.h"

namespace mhe::model {

/// Strings inside a mapped file.
class StringsView {
 public:
  StringsView() = default;
  /// `offsets` must have been checked: from 0, never falling, to characters.size().
  StringsView(std::span<const char> characters, std::span<const std::uint64_t> offsets) noexcept
      : characters_(characters), offsets_(offsets) {}

  [[nodiscard]] std::size_t size() const noexcept {
    return offsets_.empty() ? 0 : offsets_.size() - 1;
  }
  [[nodiscard]] std::string_view operator[](std::size_t row) const noexcept {
    return {characters_.data() + offsets_[row],
            static_cast<std::size_t>(offsets_[row + 1] - offsets_[row])};
  }
  [[nodiscard]] std::span<const char> characters() const noexcept { return characters_; }
  [[nodiscard]] std::span<const std::uint64_t> offsets() const noexcept { return offsets_; }

 private:
  std::span<const char> characters_;
  std::span<const std::uint64_t> offsets_;
};

/// What a caller expects of a tensor beyond its element type.
struct TensorExpectation {
  std::optional<Dtype> dtype = std::nullopt;  ///< default: the one of T; give kBF16 for bf16 bits
  std::optional<Shape> shape = std::nullopt;  ///< default: any
};

/// An mhe model file, mapped: docs/model-file.md.
///
/// Opening reads the header only and trusts nothing in it; values are checked where they are used,
/// and checksums of the data by verify(). Immutable, so many threads may use one. Spans and views
/// live as long as the object or the one it was moved to. All errors are kInvalidData and name the
/// file.
class ModelFile {
 public:
  /// Throws kNotFound or kIo if the file cannot be mapped.
  [[nodiscard]] static ModelFile open(const std::string& path);
  explicit ModelFile(SafetensorsFile file);

  [[nodiscard]] const std::string& path() const noexcept { return file_.path(); }
  [[nodiscard]] std::uint64_t file_bytes() const noexcept { return file_.bytes().size(); }
  [[nodiscard]] std::uint64_t header_bytes() const noexcept { return file_.data_start(); }
  [[nodiscard]] std::uint64_t padding_bytes() const noexcept { return padding_bytes_; }
  [[nodiscard]] std::uint64_t format_version() const noexcept { return format_version_; }

  /// A value its writer set; throws if there is none of this key.
  [[nodiscard]] const std::string& metadata(std::string_view key) const;
  /// The same, or nullptr if there is none.
  [[nodiscard]] const std::string* find_metadata(std::string_view key) const noexcept;
  /// Everything, the container's own keys included.
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& all_metadata() const {
    return file_.metadata();
  }

  /// Every tensor but padding, in the order of their data.
  [[nodiscard]] std::span<const TensorInfo> tensors() const noexcept { return tensors_; }
  /// Throws if there is none of this name.
  [[nodiscard]] const TensorInfo& tensor_info(std::string_view name) const;

  /// A tensor's elements, row-major, at a multiple of 64 bytes. Throws if there is no such tensor
  /// or its type or shape is another.
  template <class T>
  [[nodiscard]] std::span<const T> tensor(std::string_view name,
                                          const TensorExpectation& expected = {}) const {
    const std::span<const std::byte> bytes =
        tensor_bytes(name, expected.dtype.value_or(kDtypeOf<T>), sizeof(T), expected.shape);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// Strings written by ModelFileWriter::add_strings. Checks every offset, O(rows): ask once.
  [[nodiscard]] StringsView strings(std::string_view name) const;

  /// Names of the tensors whose bytes are not those that were written, in file order, last
  /// "__pad__." if padding is not zero; reads the whole file, on all threads, a tensor at a time.
  [[nodiscard]] std::vector<std::string> find_damage(const Context& context) const;
  /// Throws if find_damage() finds any.
  void verify(const Context& context) const;

 private:
  void read_format_version();
  void check_header_checksum() const;
  void read_tensors();
  void read_checksums();
  [[nodiscard]] bool is_damaged(std::size_t tensor) const noexcept;
  [[nodiscard]] bool is_padding_damaged() const noexcept;
  [[nodiscard]] std::span<const std::byte> tensor_bytes(std::string_view name, Dtype dtype,
                                                        std::size_t element_bytes,
                                                        const std::optional<Shape>& shape) const;

  SafetensorsFile file_;
  std::uint64_t format_version_ = 0;
  std::uint64_t padding_bytes_ = 0;
  std::vector<TensorInfo> tensors_;
  std::vector<std::uint64_t> checksums_;  // of tensors_
};

/// One line about what find_damage() found; `damaged` must not be empty.
[[nodiscard]] std::string describe_damage(std::span<const std::string> damaged);

}  // namespace mhe::model

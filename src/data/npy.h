// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy: a header, then the elements of one array in C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/byte_source.h"

namespace mhe::data {

/// An array, read from front to back. Holds no more than a small buffer.
class NpyArray {
 public:
  /// Reads the header. Throws kInvalidData if it is not one, or of an array that we cannot read:
  /// big endian, Fortran order, neither numbers nor short strings.
  explicit NpyArray(std::unique_ptr<ByteSource> source);

  [[nodiscard]] const std::vector<std::uint64_t>& shape() const noexcept { return shape_; }
  /// The number of elements.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_integer() const noexcept { return kind_ == 'i' || kind_ == 'u'; }
  [[nodiscard]] bool is_number() const noexcept {
    return is_integer() || kind_ == 'f' || kind_ == 'b';
  }
  [[nodiscard]] const ByteSource& source() const noexcept { return *source_; }

  /// Appends the next `count` elements, as floats, to `out`. What does not fit a float becomes
  /// infinite. Throws kInvalidData if the file ends before. Numbers only.
  void read_floats(std::uint64_t count, std::vector<float>& out);
  /// The same for integers; throws kInvalidData if the array holds others.
  void read_integers(std::uint64_t count, std::vector<std::int64_t>& out);
  /// The rest as one string of bytes without zeros; for arrays of strings.
  [[nodiscard]] std::string read_string();
  /// Throws kInvalidData if anything follows the elements.
  void expect_end();

 private:
  void parse_header(const std::string& header);
  void parse_descr(const std::string& descr);
  void read_exactly(std::span<char> out);
  template <class Append>
  void for_each_piece(std::uint64_t count, Append&& append);

  std::unique_ptr<ByteSource> source_;
  std::vector<std::uint64_t> shape_;
  std::uint64_t size_ = 1;
  char kind_ = 'f';  // as in descr: f, i, u, b, S, U
  std::size_t item_bytes_ = 0;
  std::vector<char> buffer_;
};

}  // namespace mhe::data

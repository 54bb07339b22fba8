// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays of a head by name, of the size that the head needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "heads/dense_search.h"

namespace mhe::heads {

/// A table of rows with their biases, as a search reads them.
struct SearchTable {
  const float* rows = nullptr;
  const float* biases = nullptr;
  std::size_t num_rows = 0;
  std::size_t dim = 0;

  /// scores[row] = bias + row . features, for rows [begin, begin + size). NaN becomes the lowest
  /// float, so that a damaged row is merely bad.
  void score(const float* features, std::size_t begin, std::size_t size, float* scores) const;
};

/// Floats of that name. Throws kInvalidData if they are missing or not `count` many.
[[nodiscard]] std::span<const float> find_floats(const FindTensor& find, const std::string& name,
                                                 std::uint64_t count);

/// "<prefix>table" [num_rows][dim] and "<prefix>bias" [num_rows]. Throws kInvalidData.
[[nodiscard]] SearchTable find_table(const FindTensor& find, const std::string& prefix,
                                     std::uint64_t num_rows, std::uint64_t dim);

/// "label_at" [count], empty if there is none. Throws kInvalidData if it is of another size.
[[nodiscard]] std::span<const std::uint32_t> find_label_at(const FindTensor& find,
                                                           std::uint64_t count);

}  // namespace mhe::heads

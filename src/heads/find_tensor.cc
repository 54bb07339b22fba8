// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/find_tensor.h"

#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "kernels/gemm.h"

namespace mhe::heads {
namespace {

template <class T>
std::span<const T> find_values(const FindTensor& find, const std::string& name, std::uint64_t count,
                               const char* type) {
  const HeadTensor* tensor = find(name);
  if (tensor == nullptr) fail(ErrorCode::kInvalidData, "the head has no array \"{}\"", name);
  const auto* values = std::get_if<std::span<const T>>(&tensor->data);
  if (values == nullptr) {
    fail(ErrorCode::kInvalidData, "array \"{}\" of the head is not of {}", name, type);
  }
  if (values->size() != count) {
    fail(ErrorCode::kInvalidData, "array \"{}\" of the head has {} elements; expected {}", name,
         values->size(), count);
  }
  return *values;
}

}  // namespace

void SearchTable::score(const float* features, std::size_t begin, std::size_t size,
                        float* scores) const {
  kernels::dot_rows({rows + begin * dim, dim, size, features, dim, 1, dim, scores, 1, 1});
  for (std::size_t i = 0; i < size; ++i) {
    const float score = scores[i] + biases[begin + i];
    // Clamps, and NaN fails the first comparison.
    scores[i] = score >= std::numeric_limits<float>::lowest()
                    ? std::min(score, std::numeric_limits<float>::max())
                    : std::numeric_limits<float>::lowest();
  }
}

std::span<const float> find_floats(const FindTensor& find, const std::string& name,
                                   std::uint64_t count) {
  return find_values<float>(find, name, count, "floats");
}

SearchTable find_table(const FindTensor& find, const std::string& prefix, std::uint64_t num_rows,
                       std::uint64_t dim) {
  const std::uint64_t size = checked_mul(num_rows, dim, "the weights of a table");
  return {find_floats(find, prefix + "table", size).data(),
          find_floats(find, prefix + "bias", num_rows).data(), num_rows, dim};
}

std::span<const std::uint32_t> find_label_at(const FindTensor& find, std::uint64_t count) {
  if (find("label_at") == nullptr) return {};
  return find_values<std::uint32_t>(find, "label_at", count, "32-bit numbers");
}

std::span<const std::uint32_t> find_codes(const FindTensor& find, std::uint64_t count) {
  return find_values<std::uint32_t>(find, "codes", count, "32-bit numbers");
}

}  // namespace mhe::heads

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/product_scorer.h"

#include <cmath>

#include "base/check.h"
#include "base/checked.h"
#include "kernels/gemm.h"

namespace mhe::heads {

std::span<const float> find_floats(const FindTensor& find, std::string_view name,
                                   std::size_t size) {
  const HeadTensor* const tensor = find(name);
  if (tensor == nullptr) fail(ErrorCode::kInvalidData, "the head has no array \"{}\"", name);
  const auto* const values = std::get_if<std::span<const float>>(&tensor->data);
  if (values == nullptr || values->size() != size) {
    fail(ErrorCode::kInvalidData, "the head's array \"{}\" should be {} floats", name, size);
  }
  return *values;
}

std::span<const std::uint32_t> find_integers(const FindTensor& find, std::string_view name,
                                             std::size_t size) {
  const HeadTensor* const tensor = find(name);
  if (tensor == nullptr) return {};
  const auto* const values = std::get_if<std::span<const std::uint32_t>>(&tensor->data);
  if (values == nullptr || values->size() != size) {
    fail(ErrorCode::kInvalidData, "the head's array \"{}\" should be {} whole numbers", name, size);
  }
  return *values;
}

ProductScorer::ProductScorer(const HeadSpec& spec, const FindTensor& find)
    : layout_(spec),
      dim_(spec.dim),
      table_(find_floats(find, "table",
                         checked_mul(layout_.num_outputs(), dim_, "numbers of product heads"))),
      bias_(find_floats(find, "bias", layout_.num_outputs())),
      outputs_(layout_.num_outputs()),
      best_digits_(layout_.num_heads()) {}

void ProductScorer::score(std::span<const float> features) {
  require(features.size() == dim_, "the head expects {} features, got {}", dim_, features.size());
  kernels::dot_rows({.rows = table_.data(),
                     .row_stride = dim_,
                     .num_rows = outputs_.size(),
                     .vectors = features.data(),
                     .vector_stride = dim_,
                     .num_vectors = 1,
                     .k = dim_,
                     .out = outputs_.data(),
                     .out_stride = 1});
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    outputs_[i] += bias_[i];
    // Only a damaged file or features beyond reason come here.
    if (!std::isfinite(outputs_[i])) outputs_[i] = 0;
  }
  log_scale_ = product_probabilities(layout_, outputs_);
}

std::span<const std::uint32_t> ProductScorer::best_digits() {
  for (std::size_t h = 0; h < layout_.num_heads(); ++h) {
    double best = -1;
    for (std::uint32_t digit = 0; digit < layout_.length(h); ++digit) {
      double sum = 0;
      for (std::size_t g = 0; g < layout_.rank(); ++g) {
        sum += gate(g) * static_cast<double>(layout_.head(probabilities(g), h)[digit]);
      }
      if (sum > best) {
        best = sum;
        best_digits_[h] = digit;
      }
    }
  }
  return best_digits_;
}

}  // namespace mhe::heads

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/product_scorer.h"

#include "base/check.h"

namespace mhe::heads {

ProductScorer::ProductScorer(const HeadSpec& spec, const FindTensor& find)
    : layout_(spec),
      table_(find_table(find, "", layout_.num_outputs(), spec.dim)),
      outputs_(layout_.num_outputs()),
      best_digits_(layout_.num_heads()) {}

void ProductScorer::score(std::span<const float> features) {
  require(features.size() == table_.dim, "the head expects {} features, got {}", table_.dim,
          features.size());
  table_.score(features.data(), 0, outputs_.size(), outputs_.data());
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

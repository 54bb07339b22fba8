// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The best labels of product heads, exactly. Scores are probabilities given that the answer is a
// label: what the heads gave to phantoms is taken out. (Heads of sigmoids: the product of the
// sigmoids, which need not sum to 1.)
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heads/dense_search.h"
#include "heads/product_scorer.h"
#include "labels/product_decoder.h"

namespace mhe::heads {

/// For ProductCode::kTable: scores every label by its digits, which takes H gathers a label and no
/// arithmetic on features.
[[nodiscard]] std::unique_ptr<DenseSearch> make_product_table_search(const HeadSpec& spec,
                                                                     const FindTensor& find);

/// ProductCode::kPowerset: labels by their own probability, summed over all sets that hold them.
class PowersetSearch : public DenseSearch {
 public:
  PowersetSearch(const HeadSpec& spec, const FindTensor& find);

  [[nodiscard]] std::span<const FoundLabel> search(std::span<const float> features, std::size_t k,
                                                   std::size_t beam) override;
  [[nodiscard]] std::span<const std::uint32_t> best_choices() const override {
    return best_digits_;
  }

  struct FoundSet {
    std::vector<std::uint32_t> members;  ///< ascending
    double probability = 0;
  };
  /// The k most probable sets for the features of the last search, best first.
  [[nodiscard]] std::vector<FoundSet> best_sets(std::size_t k);

 private:
  ProductScorer scorer_;
  labels::ProductDecoder decoder_;
  std::vector<FoundLabel> found_;
  std::span<const std::uint32_t> best_digits_;
};

}  // namespace mhe::heads

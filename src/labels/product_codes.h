// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Digits for product heads that can be fitted: clusters of labels that are alike.
// docs/decisions/0010-product-codes.md has what they are worth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/context.h>

#include "matrix/view.h"

namespace mhe::labels {

struct ProductCodeOptions {
  std::size_t max_width = 512;      ///< wider embeddings are projected to so many dimensions
  std::int32_t max_iterations = 8;  ///< of 2-means a split
};

/// A digit for every label and head, [label][head]; no two labels have the same digits.
///
/// `embeddings` has a row a label that tells which labels are alike: a mean of its examples, or
/// its weights in a trained classifier. Without columns, or where rows are equal, digits are drawn
/// at random. A head's digits are clusters, by balanced 2-means splits, of what the heads before it
/// left: embeddings less the means of their clusters so far (residual quantisation). So the sum of
/// one vector a digit comes close to the embedding, and rows of heads can be such vectors.
///
/// Where all heads are needed to tell the labels apart, a split has one direction for all labels
/// but halves those with equal digits so far one by one; the digits of a head are used equally
/// often, but for one label more or less. With more heads than that each is clustered freely, the
/// sums are improved (digit_vectors.h), and of labels that end with equal digits one changes.
///
/// Throws kInvalidArgument if the lengths do not cover the labels or an embedding is not finite.
/// Deterministic by the Context's seed, whatever its threads. Memory: width + 5 numbers a label.
[[nodiscard]] std::vector<std::uint32_t> product_codes(const Context& context,
                                                       std::size_t num_labels,
                                                       MatrixView embeddings,
                                                       std::span<const std::uint32_t> lengths,
                                                       const ProductCodeOptions& options = {});

}  // namespace mhe::labels

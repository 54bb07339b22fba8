// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calibration of product heads: what their outputs become before the softmax, so that the
// probabilities of digits can be relied on. Every head stays a distribution, so what follows from
// digits (labels, sets of labels) needs no map of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <mhe/ids.h>
#include <mhe/input.h>

#include "heads/dense_search.h"
#include "heads/head_spec.h"
#include "heads/product_outputs.h"

namespace mhe::heads {

/// Head h with the outputs z: softmax(scale_h z + share_h s + bias). In a powerset, where digits
/// are sets of labels, s of a set is what its labels have by themselves, the sum of z of the sets
/// of one less that of the empty set: sets that hardly occur in training borrow from their labels.
/// The bias of a set is the sum of those of its labels. Other heads have neither.
struct DigitMaps {
  std::vector<float> scales;  ///< [head]
  std::vector<float> shares;  ///< [head]
  std::vector<float> biases;  ///< [head][digit]

  /// As arrays of a head, which show these.
  [[nodiscard]] std::vector<HeadTensor> tensors() const;
};

/// The maps of a head as they lie in its arrays.
struct DigitMapsView {
  std::span<const float> scales;  ///< none: all outputs stay as they are
  std::span<const float> shares;
  std::span<const float> biases;

  /// Throws kInvalidData for arrays of another size than the head.
  [[nodiscard]] static DigitMapsView find(const ProductLayout& layout, const FindTensor& find);
  /// In place, for all groups.
  void apply(const ProductLayout& layout, std::span<float> outputs) const;
};

/// The maps under which the digits of these rows are most likely: outputs [row][output] of heads
/// with the softmax loss, and digits [row][head]. Where rows are few, the maps of all heads are
/// alike.
[[nodiscard]] DigitMaps fit_digit_maps(const HeadSpec& spec, std::span<const float> outputs,
                                       std::span<const std::uint32_t> digits);

}  // namespace mhe::heads

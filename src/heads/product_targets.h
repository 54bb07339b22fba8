// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/ids.h>
#include <mhe/label_space.h>

#include "heads/dense_head.h"
#include "heads/dense_search.h"
#include "heads/head_spec.h"

namespace mhe::heads {

/// The combinations of digits that product heads of this spec can mean. Throws kInvalidArgument if
/// the lengths cannot hold the labels.
[[nodiscard]] LabelSpace product_space(const HeadSpec& spec);

/// From the labels of a row to the digits that product heads are to predict. Immutable.
class ProductTargets {
 public:
  /// Throws kInvalidArgument if the spec's lengths do not cover the labels, an order leaves gaps
  /// between positions or codes are not those of the labels, or not distinct.
  ProductTargets(const HeadSpec& spec, const HeadSetup& setup);
  /// Of a trained head, from its arrays. Throws kInvalidData if these are not as they should be.
  ProductTargets(const HeadSpec& spec, const FindTensor& find);

  /// Appends the digits of the row, H for each label; kPowerset: H for the row.
  void append(std::span<const LabelId> labels, std::vector<std::uint32_t>& digits) const;

  [[nodiscard]] bool are_sets() const noexcept { return code_ == ProductCode::kPowerset; }

  /// [position]; none if position = id. For the tensor "label_at".
  [[nodiscard]] std::span<const std::uint32_t> label_at() const noexcept { return label_at_; }
  /// [head][label]; kTable only. For the tensor "codes": a scan reads it head by head.
  [[nodiscard]] std::span<const std::uint32_t> codes() const noexcept { return codes_; }

 private:
  void take_order(const LabelOrder& order);
  void take_codes(std::span<const std::uint32_t> codes);

  LabelSpace space_;
  ProductCode code_;
  std::uint64_t num_labels_;
  std::vector<std::uint32_t> position_of_;  // [label]; none if position = id
  std::vector<std::uint32_t> label_at_;
  std::vector<std::uint32_t> codes_;
};

}  // namespace mhe::heads

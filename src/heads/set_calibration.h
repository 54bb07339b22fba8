// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calibration of product heads that predict sets of labels: what their outputs become before the
// softmax, so that probabilities can be relied on. Every head stays a distribution over its sets,
// so labels and sets of all heads need no calibration of their own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heads/dense_search.h"
#include "heads/head_spec.h"
#include "heads/product_outputs.h"

namespace mhe::heads {

/// Each digit of a head is a set of its labels, and digit 0 the empty set. With the outputs z, logs
/// of sigmoids for that loss, the logit of the set S in head h is
///
///   set_scale_h z(S) + sum over the labels l of S of
///     (label_scale_h (z({l}) - z({})) + odds_scale_h odds_l + label_bias_l),
///
/// where odds_l are the log-odds of l under the softmax of z. The sum is what labels tell by
/// themselves: most sets of several labels occur in few training rows, so that their own outputs
/// tell little.
struct SetCalibration {
  std::vector<float> set_scales;    ///< [head]
  std::vector<float> label_scales;  ///< [head]
  std::vector<float> odds_scales;   ///< [head]
  std::vector<float> label_biases;  ///< [label]

  /// What changes nothing.
  [[nodiscard]] static SetCalibration none(const HeadSpec& spec);
  /// As arrays of a head, which point into this.
  [[nodiscard]] std::vector<HeadTensor> tensors() const;
};

/// What a head tells of its labels by themselves.
class LabelEvidence {
 public:
  /// Of a head with the outputs `z`, as many as a power of two.
  void set(std::span<const float> z);
  /// z({l}) - z({}) of each label, the most significant bit first.
  [[nodiscard]] std::span<const float> alone() const noexcept { return alone_; }
  /// Log-odds of each label.
  [[nodiscard]] std::span<const float> odds() const noexcept { return odds_; }

 private:
  std::vector<float> alone_;
  std::vector<float> odds_;
  std::vector<float> p_;  // [set]: scratch
};

/// The calibration that lies in the arrays of a head.
class SetCalibrationView {
 public:
  /// None for heads that predict labels or are not calibrated. Throws kInvalidData for arrays of
  /// another size than the head, and kInvalidArgument for lengths that are no powers of two.
  SetCalibrationView(const HeadSpec& spec, const FindTensor& find);

  [[nodiscard]] bool is_none() const noexcept { return set_scales_.empty(); }
  /// Replaces outputs by probabilities, in all groups; gates too. Whatever the arrays of a damaged
  /// file hold, each head sums to 1. Allocates nothing once it has been called.
  void make_probabilities(const ProductLayout& layout, std::span<float> outputs);

 private:
  void calibrate(std::size_t head, std::size_t first_label, std::span<float> z);

  std::span<const float> set_scales_;
  std::span<const float> label_scales_;
  std::span<const float> odds_scales_;
  std::span<const float> label_biases_;
  LabelEvidence evidence_;    // scratch, as the rest
  std::vector<float> sums_;   // [set]
  std::vector<float> terms_;  // [label of the head]
};

}  // namespace mhe::heads

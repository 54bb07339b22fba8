// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/context.h>

#include "heads/head_spec.h"
#include "heads/product_outputs.h"
#include "heads/set_calibration.h"

namespace mhe::heads {

/// What product heads gave for rows that were not trained on, and the sets that they should have
/// given.
struct SetRows {
  std::span<const float> outputs;         ///< [row][output] as the search has them
  std::span<const std::uint32_t> digits;  ///< [row][head]
};

/// How rows should count to calibrate in a second or so: every further row of a long head costs
/// more. At most `rows`.
[[nodiscard]] std::size_t rows_to_calibrate(const HeadSpec& spec, std::size_t rows);

/// The calibration under which these sets are most likely, for heads with ProductCode::kPowerset.
///
/// Convex, by Newton's method; with several groups a row counts for each by how likely that made
/// its set, in turn with the fit (EM). First all heads get the same four numbers; from there each
/// head goes its own way as far as its rows have a reason. No rows: nothing is changed. The same
/// for any number of threads.
[[nodiscard]] SetCalibration fit_set_calibration(const Context& context, const HeadSpec& spec,
                                                 const SetRows& rows);

/// The part of the loss of one head that a fit minimises: for tests of its derivatives.
class SetLikelihood {
 public:
  /// Numbers of a head that are fitted.
  enum class Biases : std::uint8_t {
    kOne,   ///< the three scales, and a bias for all labels
    kEach,  ///< the three scales, and a bias for each label, the most significant bit first
  };

  struct Sums {
    double loss = 0;                  ///< of -weight * log p(set)
    std::vector<double> gradient;     ///< [number]
    std::vector<double> information;  ///< [number][number], the lower half: second derivatives
  };

  SetLikelihood(const ProductLayout& layout, std::size_t head, Biases biases)
      : layout_(layout), head_(head), biases_(biases) {}

  [[nodiscard]] std::size_t num_parameters() const noexcept;
  /// `weights` [row][group]: how much a row counts; none: 1.
  [[nodiscard]] Sums sum(const SetRows& rows, std::span<const double> weights,
                         std::span<const double> parameters) const;

 private:
  struct Scratch;
  void fill_factors(std::span<const float> z, Scratch& scratch) const;
  void add(std::uint32_t wanted, double weight, std::span<const double> parameters,
           Scratch& scratch, Sums& sums) const;

  const ProductLayout& layout_;
  std::size_t head_;
  Biases biases_;
};

}  // namespace mhe::heads

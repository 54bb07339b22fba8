// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// How often labels occur, and how likely a true label is to have been recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <mhe/ids.h>

#include "matrix/ragged.h"

namespace mhe::labels {

/// Examples of each label. Throws kInvalidArgument for a label from num_labels up.
[[nodiscard]] std::vector<std::uint64_t> label_counts(const Ragged<LabelId>& labels,
                                                      std::size_t num_labels);

/// The two constants of the propensity model (Jain, Prabhu and Varma, KDD 2016).
struct PropensityModel {
  double a = 0.55;
  double b = 1.5;
};

/// "default" (A 0.55, B 1.5), "wikipedia" (0.5, 0.4) or "amazon" (0.6, 2.6), as in that paper.
/// Throws kInvalidArgument, listing the names, for any other.
[[nodiscard]] PropensityModel propensity_preset(std::string_view name);

/// The propensity of a label by the number of its examples, among `num_examples`; see
/// propensities(). Throws as that does.
class PropensityCurve {
 public:
  explicit PropensityCurve(std::uint64_t num_examples, const PropensityModel& model = {});
  [[nodiscard]] double operator()(std::uint64_t count) const noexcept;

 private:
  PropensityModel model_;
  double c_;
};

/// p_l = 1 / (1 + c exp(-A log(N_l + B))), c = (log N - 1)(B + 1)^A, with N examples of which N_l
/// have label l. Below N = e the formula leaves (0, 1]; c is then taken as 0 and all p_l are 1.
/// Throws kInvalidArgument unless A and B are finite, A >= 0 and B > 0.
[[nodiscard]] std::vector<double> propensities(std::span<const std::uint64_t> counts,
                                               std::uint64_t num_examples,
                                               const PropensityModel& model = {});

}  // namespace mhe::labels

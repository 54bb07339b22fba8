// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of the outputs of several heads, as plain as the paper writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mhe::lab {

/// The outputs of one head, or of all labels.
using Outputs = std::vector<double>;

/// The place of the largest number, the first of equal ones. `values` is not empty.
[[nodiscard]] std::size_t argmax(std::span<const double> values);

/// O^1 x ... x O^H (Eq. 5): an output for each label.
[[nodiscard]] Outputs kronecker(std::span<const Outputs> heads);

/// The label whose digits are the heads' largest outputs (Eq. 6).
[[nodiscard]] std::size_t label_of_heads(std::span<const Outputs> heads);

/// softmax(outputs / temperature).
[[nodiscard]] Outputs softmax(std::span<const double> outputs, double temperature = 1);

/// sqrt(sum (a - b)^2 / sum b^2).
[[nodiscard]] double relative_error(std::span<const double> a, std::span<const double> b);

/// Heads of these lengths whose product comes as near to `outputs` as alternating least squares
/// brings it from heads of ones: each head in turn is set to the best one for the others. For two
/// heads and outputs above 0 that is the best there is. `outputs` are not all 0.
[[nodiscard]] std::vector<Outputs> nearest_product(std::span<const double> outputs,
                                                   std::span<const std::uint32_t> lengths);

}  // namespace mhe::lab

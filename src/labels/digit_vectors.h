// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Embeddings of labels as sums of one vector a digit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mhe/context.h>

#include "matrix/view.h"

namespace mhe::labels {

/// Means of the points of labels with the same digit of a head, [digit][width]; the points are left
/// with what they differ by. `codes` are digits, [label][head].
[[nodiscard]] std::vector<float> subtract_means(MatrixSpan points,
                                                std::span<const std::uint32_t> codes,
                                                std::size_t head,
                                                std::span<const std::uint32_t> lengths);

/// A vector for each digit of each head, [head][digit][width], such that the sum over a label's
/// digits comes close to its embedding. Throws kInvalidArgument if the codes do not fit.
[[nodiscard]] std::vector<float> digit_vectors(MatrixView embeddings,
                                               std::span<const std::uint32_t> codes,
                                               std::span<const std::uint32_t> lengths);

/// Changes digits one by one so that sums of vectors come closer to the embeddings: of each head in
/// turn, each label takes the digit that leaves least, then the vectors follow. Digits need not
/// stay equally frequent, and labels may end with equal ones. The embeddings are left with what
/// their sums miss. The same for any number of threads.
void improve_codes(const Context& context, MatrixSpan embeddings, std::span<std::uint32_t> codes,
                   std::span<const std::uint32_t> lengths);

}  // namespace mhe::labels

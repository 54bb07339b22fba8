// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices on all threads; kernels/gemm.h says in which order they add.
#pragma once

#include <cstddef>

#include <mhe/context.h>

#include "kernels/gemm.h"
#include "matrix/view.h"

namespace mhe {

/// The matrix as it is, as an operand.
[[nodiscard]] inline kernels::GemmOperand rows_of(const MatrixView& matrix) noexcept {
  return {matrix.data, matrix.num_columns, kernels::Layout::kRows};
}
/// The transpose of the matrix, as an operand; nothing is moved.
[[nodiscard]] inline kernels::GemmOperand transpose_of(const MatrixView& matrix) noexcept {
  return {matrix.data, matrix.num_columns, kernels::Layout::kTransposed};
}

enum class Sum { kReplace, kAdd };

/// out = A B, or out += A B, where A is out.num_rows x k and B is k x out.num_columns. The same
/// bits for any number of threads.
void multiply(const Context& context, const kernels::GemmOperand& a, const kernels::GemmOperand& b,
              std::size_t k, MatrixSpan out, Sum sum = Sum::kReplace);

}  // namespace mhe

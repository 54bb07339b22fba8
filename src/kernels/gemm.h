// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices of floats on one thread. Every element of the result is one chain of fused
// multiply-adds in ascending k, so with FMA its bits depend neither on the width of the machine's
// vectors nor on how the work is cut, and parts of k may be added one after the other.
#pragma once

#include <cstddef>

namespace mhe::kernels {

/// How an operand lies in memory: rows of the matrix that is meant, or of its transpose.
enum class Layout { kRows, kTransposed };

/// Floats that somebody else owns, at any alignment.
struct GemmOperand {
  const float* data = nullptr;
  std::size_t stride = 0;  ///< floats from one stored row to the next
  Layout layout = Layout::kRows;
};

/// out[m][n] = (accumulate ? out : 0) + A[m][k] B[k][n].
struct GemmProblem {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  GemmOperand a;
  GemmOperand b;
  float* out = nullptr;        ///< overlaps neither operand
  std::size_t out_stride = 0;  ///< floats from one row of `out` to the next
  bool accumulate = false;
};

/// Fast for any m; with m of a few, one pass over B at the speed of memory. A transposed B is
/// turned while it is read, which costs as much as 16 rows of A: with few rows use dot_rows(), with
/// many calls transpose() it once.
void gemm(const GemmProblem& problem) noexcept;

/// out[column][row] = in[row][column]; strides in floats.
void transpose(const float* in, std::size_t in_stride, std::size_t rows, std::size_t columns,
               float* out, std::size_t out_stride) noexcept;

/// Few vectors against many rows.
struct DotRows {
  const float* rows = nullptr;
  std::size_t row_stride = 0;
  std::size_t num_rows = 0;
  const float* vectors = nullptr;
  std::size_t vector_stride = 0;
  std::size_t num_vectors = 0;
  std::size_t k = 0;     ///< length of rows and vectors
  float* out = nullptr;  ///< out[row * out_row_stride + vector * out_vector_stride]
  std::size_t out_row_stride = 0;
  std::size_t out_vector_stride = 1;
};

/// Dot products of each row with each vector, rows read once for every four vectors: one after the
/// other if they are many, for rows in memory, side by side if they are few. A product is
/// sixteen chains of fused multiply-adds, chain i over the elements i, i + 16, ..., which are then
/// added in halves (0 and 8, 1 and 9, ...; 0 and 4, ...): the same bits for every vector width, but
/// not those of gemm().
void dot_rows(const DotRows& problem) noexcept;

}  // namespace mhe::kernels

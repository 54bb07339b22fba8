// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/gemm-inl.h"

#if HWY_ONCE
namespace mhe::kernels {

HWY_EXPORT(gemm);
HWY_EXPORT(dot_rows);

void gemm(const GemmProblem& problem) noexcept {
  HWY_DYNAMIC_DISPATCH(gemm)(problem);
}

void dot_rows(const DotRows& problem) noexcept {
  HWY_DYNAMIC_DISPATCH(dot_rows)(problem);
}

void transpose(const float* in, std::size_t in_stride, std::size_t rows, std::size_t columns,
               float* out, std::size_t out_stride) noexcept {
  constexpr std::size_t kBlock = 16;  // a cache line of floats each way
  for (std::size_t r = 0; r < rows; r += kBlock) {
    const std::size_t row_end = std::min(rows, r + kBlock);
    for (std::size_t c = 0; c < columns; c += kBlock) {
      const std::size_t column_end = std::min(columns, c + kBlock);
      for (std::size_t j = c; j < column_end; ++j) {
        for (std::size_t i = r; i < row_end; ++i) out[j * out_stride + i] = in[i * in_stride + j];
      }
    }
  }
}

}  // namespace mhe::kernels
#endif

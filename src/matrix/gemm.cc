// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix/gemm.h"

#include "base/parallel.h"

namespace mhe {
namespace {

// Whole register tiles of every target (14 and 6 rows), and enough rows to pay for the copy of B.
constexpr std::size_t kRowGrain = 84;
// Whole strips of every target.
constexpr std::size_t kColumnGrain = 128;
// Less work than this is done sooner than threads are woken.
constexpr std::size_t kMinParallelWork = 1U << 18U;

}  // namespace

void multiply(const Context& context, const kernels::GemmOperand& a, const kernels::GemmOperand& b,
              std::size_t k, MatrixSpan out, Sum sum) {
  const kernels::GemmProblem whole = {out.num_rows,    out.num_columns, k, a, b, out.data,
                                      out.num_columns, sum == Sum::kAdd};
  if (out.size() * k < kMinParallelWork) return kernels::gemm(whole);
  if (out.num_rows >= kRowGrain * context.threads()) {
    parallel_blocks(context, out.num_rows, kRowGrain, [&](const Block& block) {
      kernels::GemmProblem part = whole;
      part.m = block.end - block.begin;
      part.a.data += block.begin * (a.layout == kernels::Layout::kRows ? a.stride : 1);
      part.out += block.begin * out.num_columns;
      kernels::gemm(part);
    });
    return;
  }
  parallel_blocks(context, out.num_columns, kColumnGrain, [&](const Block& block) {
    kernels::GemmProblem part = whole;
    part.n = block.end - block.begin;
    part.b.data += block.begin * (b.layout == kernels::Layout::kRows ? 1 : b.stride);
    part.out += block.begin;
    kernels::gemm(part);
  });
}

}  // namespace mhe

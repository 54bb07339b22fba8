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
// So many blocks of rows a thread, and it matters little that the last one is short.
constexpr std::size_t kManyBlocks = 8;
// Less work than this is done sooner than threads are woken.
constexpr std::size_t kMinParallelWork = 1U << 18U;

// Every block of rows copies all of B, every block of columns its own part only; but there must be
// enough of them.
bool should_cut_rows(const MatrixSpan& out, std::size_t threads) {
  if (out.num_rows >= kManyBlocks * kRowGrain * threads) return true;
  return out.num_columns < kColumnGrain * threads && out.num_rows >= kRowGrain * threads;
}

}  // namespace

void multiply(const Context& context, const kernels::GemmOperand& a, const kernels::GemmOperand& b,
              std::size_t k, MatrixSpan out, Sum sum) {
  const kernels::GemmProblem whole = {out.num_rows,    out.num_columns, k, a, b, out.data,
                                      out.num_columns, sum == Sum::kAdd};
  if (out.size() * k < kMinParallelWork) return kernels::gemm(whole);
  if (should_cut_rows(out, context.threads())) {
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

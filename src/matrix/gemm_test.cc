// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix/gemm.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace mhe {
namespace {

struct Case {
  std::size_t m;
  std::size_t n;
  std::size_t k;
};

std::vector<float> product(std::size_t threads, const Case& c, kernels::Layout layout) {
  RandomStream random(1, "matrix_gemm_test");
  std::vector<float> a(c.m * c.k);
  std::vector<float> b(c.k * c.n);
  for (float& x : a) x = static_cast<float>(random.uniform() - 0.5);
  for (float& x : b) x = static_cast<float>(random.uniform() - 0.5);
  std::vector<float> out(c.m * c.n, 1.0F);
  const Context context({.threads = threads});
  const bool rows = layout == kernels::Layout::kRows;
  const MatrixView left = {a.data(), rows ? c.m : c.k, rows ? c.k : c.m};
  const MatrixView right = {b.data(), rows ? c.k : c.n, rows ? c.n : c.k};
  multiply(context, rows ? rows_of(left) : transpose_of(left),
           rows ? rows_of(right) : transpose_of(right), c.k, {out.data(), c.m, c.n}, Sum::kAdd);
  return out;
}

TEST(Multiply, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const Case& c : {Case{3, 5, 7}, Case{300, 64, 100}, Case{10, 1000, 200}, Case{300, 400, 100},
                        Case{1400, 300, 20}}) {
    for (const kernels::Layout layout : {kernels::Layout::kRows, kernels::Layout::kTransposed}) {
      const std::vector<float> one = product(1, c, layout);
      EXPECT_EQ(one, product(2, c, layout));
      EXPECT_EQ(one, product(3, c, layout));
    }
  }
}

TEST(Multiply, AddsTheProductOfWhatTheOperandsMean) {
  // [[1 2] [3 4]] [[5] [6]], and the same from transposes.
  const std::vector<float> a = {1, 2, 3, 4};
  const std::vector<float> turned = {1, 3, 2, 4};
  const std::vector<float> b = {5, 6};
  const Context context({.threads = 1});
  std::vector<float> out = {100, 200};
  multiply(context, rows_of({a.data(), 2, 2}), rows_of({b.data(), 2, 1}), 2, {out.data(), 2, 1},
           Sum::kAdd);
  EXPECT_EQ(out, (std::vector<float>{117, 239}));
  multiply(context, transpose_of({turned.data(), 2, 2}), transpose_of({b.data(), 1, 2}), 2,
           {out.data(), 2, 1});
  EXPECT_EQ(out, (std::vector<float>{17, 39}));
}

}  // namespace
}  // namespace mhe

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "each_target.h"

namespace mhe::kernels {
namespace {

float at(const GemmOperand& m, std::size_t row, std::size_t column) {
  return m.layout == Layout::kRows ? m.data[row * m.stride + column]
                                   : m.data[column * m.stride + row];
}

// One element of gemm(): its meaning, in double.
double gemm_reference(const GemmProblem& p, std::size_t row, std::size_t column) noexcept {
  double sum = p.accumulate ? static_cast<double>(p.out[row * p.out_stride + column]) : 0.0;
  for (std::size_t i = 0; i < p.k; ++i) {
    sum += static_cast<double>(at(p.a, row, i)) * static_cast<double>(at(p.b, i, column));
  }
  return sum;
}

std::vector<float> random_floats(std::size_t size, std::uint64_t seed) {
  RandomStream random(seed, "gemm_test");
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(2 * random.uniform() - 1);
  return values;
}

struct Shape {
  std::size_t m;
  std::size_t n;
  std::size_t k;
};

// Sums of k products of numbers below 1: each step rounds a sum below k by at most k * 2^-24.
float tolerance_of(std::size_t k) {
  return static_cast<float>(k + 1) * static_cast<float>(k + 1) * 0x1p-24F;
}

// Operands begin one float off any boundary and have strides larger than their rows.
struct Operand {
  std::vector<float> memory;
  GemmOperand operand;

  Operand(std::size_t rows, std::size_t columns, Layout layout, std::uint64_t seed) {
    const bool turned = layout == Layout::kTransposed;
    operand.stride = (turned ? rows : columns) + 3;
    memory = random_floats((turned ? columns : rows) * operand.stride + 1, seed);
    operand.data = memory.data() + 1;
    operand.layout = layout;
  }
};

void check_gemm(const Shape& shape, Layout layout_of_a, Layout layout_of_b, bool accumulate,
                bool exact) {
  const Operand a(shape.m, shape.k, layout_of_a, 1);
  const Operand b(shape.k, shape.n, layout_of_b, 2);
  const std::size_t stride = shape.n + 5;
  std::vector<float> out = random_floats(shape.m * stride + 1, 3);
  const std::vector<float> before = out;
  GemmProblem problem = {shape.m,   shape.n,        shape.k, a.operand,
                         b.operand, out.data() + 1, stride,  accumulate};
  gemm(problem);
  GemmProblem expected = problem;
  std::vector<float> old = before;
  expected.out = old.data() + 1;
  for (std::size_t i = 0; i < shape.m; ++i) {
    for (std::size_t j = 0; j < shape.n; ++j) {
      const float found = out[1 + i * stride + j];
      ASSERT_NEAR(found, gemm_reference(expected, i, j), tolerance_of(shape.k)) << i << ' ' << j;
      if (!exact) continue;
      float chain = accumulate ? before[1 + i * stride + j] : 0.0F;
      for (std::size_t p = 0; p < shape.k; ++p) {
        chain = std::fma(at(a.operand, i, p), at(b.operand, p, j), chain);
      }
      ASSERT_EQ(found, chain) << i << ' ' << j;
    }
    for (std::size_t j = shape.n; j < stride && 1 + i * stride + j < out.size(); ++j) {
      ASSERT_EQ(out[1 + i * stride + j], before[1 + i * stride + j]) << "beyond the row";
    }
  }
}

TEST(Gemm, IsOneChainAnElementOnEveryTarget) {
  const Shape shapes[] = {{1, 1, 1},     {1, 33, 7},     {2, 64, 300},  {3, 5, 0},
                          {14, 32, 257}, {17, 31, 40},   {25, 70, 19},  {170, 35, 18},
                          {29, 16, 513}, {23, 150, 290}, {169, 129, 30}};
  testing::for_each_target([&](std::int64_t target) {
    for (const Shape& shape : shapes) {
      for (const Layout a : {Layout::kRows, Layout::kTransposed}) {
        for (const Layout b : {Layout::kRows, Layout::kTransposed}) {
          for (const bool accumulate : {false, true}) {
            SCOPED_TRACE(::testing::Message() << shape.m << 'x' << shape.n << 'x' << shape.k);
            check_gemm(shape, a, b, accumulate, testing::has_fma(target));
          }
        }
      }
    }
  });
}

TEST(Transpose, MovesEveryElement) {
  const std::vector<float> in = random_floats(37 * 23, 4);
  std::vector<float> out(20 * 40, -7.0F);
  transpose(in.data(), 23, 37, 20, out.data(), 40);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < 20; ++j) {
      EXPECT_EQ(out[j * 40 + i], i < 37 ? in[i * 23 + j] : -7.0F);
    }
  }
}

float dot_in_lanes(const float* a, const float* b, std::size_t k) {
  float lanes[16] = {};
  for (std::size_t i = 0; i < k; ++i) lanes[i % 16] = std::fma(a[i], b[i], lanes[i % 16]);
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

TEST(DotRows, AddsSixteenChainsInHalvesOnEveryTarget) {
  testing::for_each_target([&](std::int64_t target) {
    for (const std::size_t k : {0U, 1U, 15U, 16U, 33U, 512U}) {
      for (const std::size_t num_vectors : {1U, 2U, 3U, 4U, 7U, 9U}) {
        const std::vector<float> rows = random_floats(11 * (k + 1) + 1, 5);
        const std::vector<float> vectors = random_floats(num_vectors * (k + 2), 6);
        std::vector<float> out(11 * (num_vectors + 1), 9.0F);
        dot_rows({rows.data() + 1, k + 1, 11, vectors.data(), k + 2, num_vectors, k, out.data(),
                  num_vectors + 1, 1});
        std::vector<float> turned(11 * num_vectors);
        dot_rows({rows.data() + 1, k + 1, 11, vectors.data(), k + 2, num_vectors, k, turned.data(),
                  1, 11});
        for (std::size_t i = 0; i < 11; ++i) {
          for (std::size_t v = 0; v < num_vectors; ++v) {
            const float expected =
                dot_in_lanes(rows.data() + 1 + i * (k + 1), vectors.data() + v * (k + 2), k);
            ASSERT_NEAR(out[i * (num_vectors + 1) + v], expected,
                        testing::has_fma(target) ? 0.0F : tolerance_of(k));
            ASSERT_EQ(turned[v * 11 + i], out[i * (num_vectors + 1) + v]);
          }
          EXPECT_EQ(out[i * (num_vectors + 1) + num_vectors], 9.0F) << "beyond the row";
        }
      }
    }
  });
}

TEST(DotRows, ManyRowsGiveTheBitsOfFew) {
  constexpr std::size_t kDim = 512;
  constexpr std::size_t kRows = 140;  // more than a near cache holds
  const std::vector<float> rows = random_floats(kRows * kDim, 7);
  testing::for_each_target([&](std::int64_t /*target*/) {
    for (const std::size_t num_vectors : {1U, 2U, 3U, 4U}) {
      const std::vector<float> vectors = random_floats(num_vectors * kDim, 8);
      std::vector<float> all(kRows * num_vectors);
      std::vector<float> parts(all.size());
      dot_rows({rows.data(), kDim, kRows, vectors.data(), kDim, num_vectors, kDim, all.data(),
                num_vectors, 1});
      for (std::size_t row = 0; row < kRows; row += 20) {
        dot_rows({rows.data() + row * kDim, kDim, 20, vectors.data(), kDim, num_vectors, kDim,
                  parts.data() + row * num_vectors, num_vectors, 1});
      }
      EXPECT_EQ(all, parts);
    }
  });
}

}  // namespace
}  // namespace mhe::kernels

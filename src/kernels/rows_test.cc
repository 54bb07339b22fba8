// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "each_target.h"

namespace mhe::kernels {
namespace {

std::vector<float> random_row(std::size_t size, std::uint64_t seed) {
  RandomStream random(seed, "rows_test");
  std::vector<float> row(size + 1);
  for (float& x : row) x = static_cast<float>(2 * random.uniform() - 1);
  return row;
}

constexpr std::size_t kSizes[] = {0, 1, 3, 8, 16, 17, 50, 512};

TEST(Rows, SumsAreTheSameOnEveryTarget) {
  for (const std::size_t size : kSizes) {
    const std::vector<float> row = random_row(size, size);
    double expected = 0;
    double squares = 0;
    float lanes[16] = {};
    for (std::size_t i = 1; i <= size; ++i) {
      expected += row[i];
      squares += static_cast<double>(row[i]) * row[i];
      lanes[(i - 1) % 16] = std::fma(row[i], row[i], lanes[(i - 1) % 16]);
    }
    for (std::size_t half = 8; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    }
    testing::for_each_target([&](std::int64_t target) {
      const float found = sum_squares(row.data() + 1, size);
      EXPECT_NEAR(sum(row.data() + 1, size), expected, 1e-5);  // 512 roundings of sums below 64
      EXPECT_NEAR(found, squares, squares * 1e-5);
      EXPECT_TRUE(!testing::has_fma(target) || found == lanes[0]) << found;
    });
  }
}

TEST(Rows, MoveAndAdd) {
  for (const std::size_t size : kSizes) {
    testing::for_each_target([&](std::int64_t target) {
      std::vector<float> row = random_row(size, 1);
      const std::vector<float> before = row;
      const std::vector<float> gradient = random_row(size, 2);
      move_row(row.data() + 1, gradient.data() + 1, size, 0.75F, 0.1F);
      for (std::size_t i = 0; i <= size; ++i) {
        const float expected = i == 0 ? before[0] : std::fma(-gradient[i], 0.1F, 0.75F * before[i]);
        EXPECT_NEAR(row[i], expected, testing::has_fma(target) ? 0 : 1e-7F);
      }
      row = before;
      add_row(row.data() + 1, gradient.data() + 1, size);
      for (std::size_t i = 1; i <= size; ++i) EXPECT_EQ(row[i], before[i] + gradient[i]);
    });
  }
}

TEST(Rows, PullAddsUpRowsAsTheyWereAndMovesThem) {
  for (const std::size_t size : kSizes) {
    for (const std::size_t num_rows : {1U, 3U, 4U, 9U}) {
      const std::vector<float> before = random_row(num_rows * size, 1);
      const std::vector<float> vector = random_row(size, 2);
      const std::vector<float> factors = random_row(num_rows, 3);
      const std::vector<float> steps = random_row(num_rows, 4);
      std::vector<float> moved = before;
      std::vector<float> pulled = random_row(size, 5);
      for (std::size_t i = 0; i < num_rows * size; ++i) {
        const std::size_t at = i % size + 1;
        pulled[at] = std::fma(factors[i / size], before[i + 1], pulled[at]);
        moved[i + 1] = std::fma(-vector[at], steps[i / size], 0.75F * before[i + 1]);
      }
      testing::for_each_target([&](std::int64_t target) {
        std::vector<float> rows = before;
        std::vector<float> sum = random_row(size, 5);
        pull_rows({rows.data() + 1, num_rows, size, vector.data() + 1, factors.data(), steps.data(),
                   0.75F, sum.data() + 1});
        // Without FMA each of up to nine products below 1 is rounded once more.
        const float tolerance = testing::has_fma(target) ? 0 : 1e-6F;
        for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i], moved[i], tolerance);
        for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum[i], pulled[i], tolerance);
      });
    }
  }
}

TEST(Rows, ShareAddsUpRowsForVectorsAndVectorsForRows) {
  for (const std::size_t size : kSizes) {
    for (const std::size_t num_rows : {1U, 2U, 3U, 4U, 6U, 8U, 23U}) {
      for (const std::size_t num_vectors : {1U, 2U, 5U}) {
        const std::size_t stride = size + 17;
        const std::vector<float> rows = random_row((num_rows + 1) * size, 1);
        const std::vector<float> vectors = random_row(num_vectors * stride, 2);
        const std::vector<float> factors = random_row(num_vectors * (num_rows + 2), 3);
        const std::vector<float> before = random_row(num_vectors * stride, 4);
        std::vector<float> sums = before;
        std::vector<float> gradients(num_rows * stride, 0.0F);
        for (std::size_t row = 0; row < num_rows; ++row) {
          for (std::size_t v = 0; v < num_vectors; ++v) {
            const float factor = factors[v * (num_rows + 2) + row];
            for (std::size_t i = 0; i < size; ++i) {
              float& sum = sums[1 + v * stride + i];
              sum = std::fma(factor, rows[1 + row * size + i], sum);
              float& gradient = gradients[row * stride + i];
              gradient = std::fma(factor, vectors[1 + v * stride + i], gradient);
            }
          }
        }
        testing::for_each_target([&](std::int64_t target) {
          std::vector<float> found = before;
          std::vector<float> found_gradients(num_rows * stride, 0.0F);
          share_rows({rows.data() + 1, num_rows, size, vectors.data() + 1, stride, num_vectors,
                      factors.data(), num_rows + 2, found.data() + 1, stride,
                      found_gradients.data(), stride, 1});
          // Without FMA each of up to 23 products below 1 is rounded once more.
          const float tolerance = testing::has_fma(target) ? 0 : 3e-6F;
          for (std::size_t i = 0; i < num_vectors * size; ++i) {
            const std::size_t at = 1 + i / size * stride + i % size;
            ASSERT_NEAR(found[at], sums[at], tolerance);
          }
          for (std::size_t i = 0; i < num_rows * size; ++i) {
            const std::size_t at = i / size * stride + i % size;
            ASSERT_NEAR(found_gradients[at], gradients[at], tolerance);
          }
        });
      }
    }
  }
}

TEST(Rows, CountNotAboveStopsAtTheFirstAbove) {
  testing::for_each_target([](std::int64_t /*target*/) {
    std::vector<float> scores(40, 1.0F);
    EXPECT_EQ(count_not_above(scores.data(), scores.size(), 1.0F), 40U);
    for (const std::size_t at : {39U, 17U, 3U, 0U}) {
      scores[at] = 1.5F;
      EXPECT_EQ(count_not_above(scores.data(), scores.size(), 1.0F), at);
    }
    EXPECT_EQ(count_not_above(scores.data(), 0, 1.0F), 0U);
  });
}

// The meaning of add_weighted_rows() for one element.
float weighted_rows_reference(const WeightedRows& p, std::size_t i, float sum) noexcept {
  for (std::size_t j = 0; j < p.rows.size(); ++j) {
    sum = std::fma(p.weights[j], p.table[p.rows[j] * p.width + i], sum);
  }
  return sum;
}

TEST(WeightedRows, EqualTheReferenceForOddWidthsAndCounts) {
  RandomStream random(1, "weighted_rows_test");
  const auto draw = [&] { return static_cast<float>(2 * random.uniform() - 1); };
  constexpr std::size_t kRows = 23;
  for (const std::size_t width : {1U, 3U, 8U, 17U, 64U, 131U, 259U}) {
    std::vector<float> table(kRows * width + 1);
    for (float& value : table) value = draw();
    for (const std::size_t count : {0U, 1U, 3U, 4U, 5U, 11U}) {
      std::vector<std::uint32_t> rows(count);
      std::vector<float> weights(count);
      for (std::size_t j = 0; j < count; ++j) {
        rows[j] = static_cast<std::uint32_t>(random.below(kRows));
        weights[j] = draw();
      }
      std::vector<float> start(width + 1);
      for (float& value : start) value = draw();
      // One float off any boundary.
      const WeightedRows problem = {table.data() + 1, width, rows, weights};
      testing::for_each_target([&](std::int64_t target) {
        std::vector<float> out = start;
        add_weighted_rows(problem, out.data() + 1);
        EXPECT_EQ(out[0], start[0]);
        for (std::size_t i = 0; i < width; ++i) {
          const float expected = weighted_rows_reference(problem, i, start[i + 1]);
          // Without fused multiply-add each of at most 11 products of numbers below 1 rounds once
          // more, sums stay below 12: 11 * 12 * 2^-24.
          const float tolerance = testing::has_fma(target) ? 0.0F : 1e-5F;
          EXPECT_NEAR(out[i + 1], expected, tolerance) << width << " " << count << " " << i;
        }
      });
    }
  }
}

}  // namespace
}  // namespace mhe::kernels

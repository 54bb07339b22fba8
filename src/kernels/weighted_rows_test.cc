// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/weighted_rows.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "each_target.h"

namespace mhe::kernels {
namespace {

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

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/projection.h"

#include <cstddef>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace mhe::heads {
namespace {

std::vector<float> rows_of_seed(std::size_t threads, std::uint64_t seed, std::size_t width,
                                std::size_t dim) {
  const Context context({.threads = threads, .seed = seed});
  const Projection projection(context, "level2.", width, dim);
  return {projection.rows().data, projection.rows().data + projection.rows().size()};
}

// Random rows that are only independent turn a square map into one that squeezes some directions
// to nothing: 127 of 128 dimensions cost 9 to 13 points.
TEST(Projection, RowsAreOrthonormal) {
  for (const auto& [width, dim] : {std::pair(1, 2), std::pair(127, 128), std::pair(64, 300)}) {
    const auto columns = static_cast<std::size_t>(dim);
    const std::vector<float> rows = rows_of_seed(2, 3, static_cast<std::size_t>(width), columns);
    for (std::size_t i = 0; i < static_cast<std::size_t>(width); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double dot = 0;
        for (std::size_t c = 0; c < columns; ++c) {
          dot += static_cast<double>(rows[i * columns + c]) * rows[j * columns + c];
        }
        EXPECT_NEAR(dot, i == j ? 1 : 0, 1e-5) << i << ' ' << j;  // of 128 and 300 float products
      }
    }
  }
}

TEST(Projection, FollowsFromTheSeedForAnyNumberOfThreads) {
  EXPECT_EQ(rows_of_seed(1, 3, 100, 150), rows_of_seed(3, 3, 100, 150));
  EXPECT_NE(rows_of_seed(1, 3, 100, 150), rows_of_seed(1, 4, 100, 150));
}

}  // namespace
}  // namespace mhe::heads

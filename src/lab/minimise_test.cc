// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/minimise.h"

#include <gtest/gtest.h>

namespace mhe::lab {
namespace {

// Rosenbrock's valley, with its minimum of 0 at (1, 1).
double valley(const Vector& at, Vector& gradient) {
  const double x = at(0);
  const double y = at(1);
  gradient.resize(2);
  gradient << -2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x);
  return (1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x);
}

// A bowl whose sides differ by a factor of 10,000.
double bowl(const Vector& at, Vector& gradient) {
  gradient.resize(2);
  gradient << 1e4 * at(0), at(1);
  return (1e4 * at(0) * at(0) + at(1) * at(1)) / 2;
}

TEST(Minimise, FollowsACurvedValley) {
  std::size_t calls = 0;
  const Minimum found =
      minimise(valley, Vector{{-1.2, 1.0}},
               {.on_step = [&](std::size_t step, const Vector&) { EXPECT_EQ(step, calls++); }});
  EXPECT_LT((found.at - Vector{{1.0, 1.0}}).norm(), 1e-8);
  EXPECT_LT(found.steps, 60U);
  EXPECT_EQ(calls, found.steps + 1);
}

TEST(Minimise, EndsWhereItStartsAtAMinimum) {
  EXPECT_EQ(minimise(bowl, Vector::Zero(2)).steps, 0U);
}

TEST(Adam, CaresLittleForTheSizeOfGradients) {
  const Minimum found = adam(bowl, Vector{{1.0, 1.0}}, {.max_steps = 2'000, .rate = 0.05});
  EXPECT_LT(found.value, 1e-6);
  EXPECT_LT(found.steps, 2'000U);  // good enough before
}

}  // namespace
}  // namespace mhe::lab

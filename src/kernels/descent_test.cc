// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/descent.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "each_target.h"

namespace mhe::kernels {
namespace {

std::vector<float> random_values(std::size_t size, std::uint64_t seed) {
  RandomStream random(seed, "descent_test");
  std::vector<float> values(size + 1);  // read from the second on, which is not aligned
  for (float& x : values) x = static_cast<float>(random.uniform() + 0.01);
  return values;
}

constexpr std::size_t kSizes[] = {0, 1, 3, 8, 16, 17, 50, 512};

// Nothing is fused, so every target gives the bits of a plain loop.
TEST(Descent, MovesWithMomentumAsAPlainLoop) {
  for (const std::size_t size : kSizes) {
    for (const bool looks_ahead : {false, true}) {
      const MomentumStep step = {
          .rate = 0.3F, .momentum = 0.7F, .keep = 0.9F, .scale = -0.6F, .looks_ahead = looks_ahead};
      const std::vector<float> gradients = random_values(size, 3);
      std::vector<float> expected = random_values(size, 1);
      std::vector<float> expected_velocities = random_values(size, 2);
      for (std::size_t i = 1; i <= size; ++i) {
        const float gradient = step.scale * gradients[i];
        float& velocity = expected_velocities[i];
        velocity = step.momentum * velocity + gradient;
        const float move = looks_ahead ? gradient + step.momentum * velocity : velocity;
        expected[i] = step.keep * expected[i] - step.rate * move;
      }
      testing::for_each_target([&](std::int64_t /*target*/) {
        std::vector<float> weights = random_values(size, 1);
        std::vector<float> velocities = random_values(size, 2);
        move_with_momentum(weights.data() + 1, velocities.data() + 1, gradients.data() + 1, size,
                           step);
        EXPECT_EQ(weights, expected);
        EXPECT_EQ(velocities, expected_velocities);
      });
    }
  }
}

TEST(Descent, MovesWithAdamAsAPlainLoop) {
  for (const std::size_t size : kSizes) {
    const AdamStep step = {.rate = 0.3F,
                           .beta1 = 0.6F,
                           .beta2 = 0.8F,
                           .first_scale = 1.5F,
                           .second_scale = 2.5F,
                           .epsilon = 1e-3F,
                           .keep = 0.9F,
                           .scale = -0.6F};
    const std::vector<float> gradients = random_values(size, 4);
    std::vector<float> expected = random_values(size, 1);
    std::vector<float> first = random_values(size, 2);
    std::vector<float> second = random_values(size, 3);
    for (std::size_t i = 1; i <= size; ++i) {
      const float gradient = step.scale * gradients[i];
      first[i] = step.beta1 * first[i] + (1 - step.beta1) * gradient;
      second[i] = step.beta2 * second[i] + (1 - step.beta2) * gradient * gradient;
      const float direction =
          step.first_scale * first[i] / (std::sqrt(step.second_scale * second[i]) + step.epsilon);
      expected[i] = step.keep * expected[i] - step.rate * direction;
    }
    testing::for_each_target([&](std::int64_t /*target*/) {
      std::vector<float> weights = random_values(size, 1);
      std::vector<float> means = random_values(size, 2);
      std::vector<float> squares = random_values(size, 3);
      move_with_adam({weights.data() + 1, means.data() + 1, squares.data() + 1},
                     gradients.data() + 1, size, step);
      EXPECT_EQ(weights, expected);
      EXPECT_EQ(means, first);
      EXPECT_EQ(squares, second);
    });
  }
}

}  // namespace
}  // namespace mhe::kernels

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "predict/tail_weights.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

namespace mhe::predict {
namespace {

TEST(TailWeights, ArePowersOfTheInversePropensity) {
  const std::vector<std::uint32_t> counts = {0, 1, 7, 1023, 1024, 1'000'000};
  const std::vector<std::uint64_t> wide(counts.begin(), counts.end());
  const std::vector<double> expected = propensities(wide, 2'000'000);
  for (const double tail : {0.1, 0.5, 1.0}) {
    const TailWeights weights(counts, 2'000'000, tail);
    EXPECT_FALSE(weights.change_nothing());
    for (std::uint32_t label = 0; label < counts.size(); ++label) {
      const double weight = std::pow(1 / expected[label], tail);
      EXPECT_NEAR(weights(LabelId{label}), weight, 1e-6 * weight);  // a float has 24 bits
    }
  }
}

TEST(TailWeights, OfNoTailChangeNothing) {
  EXPECT_TRUE(TailWeights().change_nothing());
  EXPECT_TRUE(TailWeights({}, 10, 0).change_nothing());
}

TEST(TailWeights, RefuseOtherTails) {
  for (const double tail : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(TailWeights({}, 10, tail), Error);
  }
}

}  // namespace
}  // namespace mhe::predict

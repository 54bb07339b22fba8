// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/kronecker.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mhe::lab {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

// Fig. 11.
TEST(Kronecker, MultipliesAsThePaperDoes) {
  const std::array<Outputs, 3> heads = {Outputs{0.3, 0.7}, Outputs{0.8, 0.2}, Outputs{0.6, 0.4}};
  const Outputs product = kronecker(heads);
  EXPECT_THAT(product, Pointwise(DoubleNear(1e-15),
                                 {0.144, 0.096, 0.036, 0.024, 0.336, 0.224, 0.084, 0.056}));
  EXPECT_EQ(argmax(product), 4U);
  EXPECT_EQ(label_of_heads(heads), 4U);
}

TEST(Kronecker, GivesEqualOutputsTheSmallerPlace) {
  EXPECT_EQ(argmax(Outputs{1, 3, 3, 2}), 1U);
}

TEST(LabSoftmax, DividesByTheTemperature) {
  EXPECT_THAT(softmax(Outputs{0, std::log(3.0)}), Pointwise(DoubleNear(1e-15), {0.25, 0.75}));
  EXPECT_THAT(softmax(Outputs{0, std::log(3.0)}, 0.5), Pointwise(DoubleNear(1e-15), {0.1, 0.9}));
  EXPECT_THAT(softmax(Outputs{1e6, 0}), ElementsAre(1, 0));
}

TEST(NearestProduct, FindsAProductAgain) {
  const std::array<Outputs, 3> heads = {Outputs{1, 4}, Outputs{2, 1, 0.5}, Outputs{3, 1}};
  const Outputs outputs = kronecker(heads);
  const std::array<std::uint32_t, 3> lengths = {2, 3, 2};
  EXPECT_LT(relative_error(kronecker(nearest_product(outputs, lengths)), outputs), 1e-12);
}

// The nearest matrix of rank one has the largest singular value, here 2 and 1.
TEST(NearestProduct, IsTheNearestOfTwoHeads) {
  const Outputs outputs = {1.5, 0.5, 0.5, 1.5};
  const std::array<std::uint32_t, 2> lengths = {2, 2};
  EXPECT_THAT(kronecker(nearest_product(outputs, lengths)),
              Pointwise(DoubleNear(1e-9), {1.0, 1.0, 1.0, 1.0}));
}

}  // namespace
}  // namespace mhe::lab

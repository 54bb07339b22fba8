// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/product_outputs.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"
#include "product_reference.h"

namespace mhe::heads {
namespace {

using testing::product_reference_loss;

HeadSpec spec_of(Loss loss, std::size_t rank) {
  HeadSpec spec;
  spec.num_labels = 20;
  spec.lengths = {3, 2, 4};
  spec.dim = 1;
  spec.loss = loss;
  spec.own = ProductSpec{.rank = rank};
  return spec;
}

struct LossCase {
  Loss loss;
  std::size_t rank;
  std::vector<std::uint32_t> digits;
};

// The name of a test must be the same in every run, so no addresses may be in it.
void PrintTo(const LossCase& loss_case, std::ostream* out) {
  *out << (loss_case.loss == Loss::kSoftmax ? "softmax" : "sigmoid") << " of rank "
       << loss_case.rank << ", " << loss_case.digits.size() << " digits";
}

class ProductLoss : public ::testing::TestWithParam<LossCase> {};

TEST_P(ProductLoss, AgreesWithItsDefinitionAndItsDifferences) {
  const HeadSpec spec = spec_of(GetParam().loss, GetParam().rank);
  const ProductLayout layout(spec);
  RandomStream random(7, "product-loss-test");
  std::vector<double> x(layout.num_outputs());
  for (double& v : x) v = static_cast<float>(4 * random.uniform() - 2);
  std::vector<float> outputs(x.begin(), x.end());
  constexpr float kWeight = 0.25F;
  const double loss = product_loss(layout, GetParam().digits, kWeight, outputs);
  // Sums of some thirty floats of size 4 and below.
  EXPECT_NEAR(loss, product_reference_loss(spec, GetParam().digits, x), 1e-5);
  const std::vector<double> slopes = testing::slopes_of(
      [&](std::span<const double> at) {
        return product_reference_loss(spec, GetParam().digits, at);
      },
      x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(outputs[i], static_cast<double>(kWeight) * slopes[i], 1e-6) << "output " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(AllKinds, ProductLoss,
                         ::testing::Values(LossCase{Loss::kSoftmax, 1, {2, 0, 3}},
                                           LossCase{Loss::kSoftmax, 1, {2, 0, 3, 2, 1, 0}},
                                           LossCase{Loss::kSoftmax, 1, {}},
                                           LossCase{Loss::kSoftmax, 3, {2, 0, 3}},
                                           LossCase{Loss::kSoftmax, 3, {0, 0, 0, 2, 1, 0}},
                                           LossCase{Loss::kSigmoid, 1, {2, 0, 3}},
                                           LossCase{Loss::kSigmoid, 1, {2, 0, 3, 2, 1, 0}},
                                           LossCase{Loss::kSigmoid, 1, {}}));

TEST(ProductProbabilities, SumToOneForEachHead) {
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    const ProductLayout layout(spec_of(loss, loss == Loss::kSoftmax ? 2 : 1));
    std::vector<float> outputs(layout.num_outputs());
    std::iota(outputs.begin(), outputs.end(), -5.0F);
    double log_scale = 0;
    if (loss == Loss::kSigmoid) {
      for (std::size_t h = 0; h < layout.num_heads(); ++h) {
        double sum = 0;
        for (const float x : layout.head(std::span<const float>(outputs), h)) {
          sum += 1 / (1 + std::exp(-static_cast<double>(x)));
        }
        log_scale += std::log(sum);
      }
    }
    EXPECT_NEAR(product_probabilities(layout, outputs), log_scale, 1e-5);
    for (std::size_t g = 0; g < layout.rank(); ++g) {
      for (std::size_t h = 0; h < layout.num_heads(); ++h) {
        const auto head = layout.head(layout.group(std::span<const float>(outputs), g), h);
        EXPECT_NEAR(std::accumulate(head.begin(), head.end(), 0.0), 1, 1e-6);
      }
    }
  }
}

TEST(ProductLayout, RefusesWhatHasNoMeaning) {
  EXPECT_THROW(ProductLayout(spec_of(Loss::kSoftmax, 0)), Error);
  EXPECT_THROW(ProductLayout(spec_of(Loss::kSigmoid, 2)), Error);
  EXPECT_THROW(ProductLayout(spec_of(Loss::kSoftmax, kMaxRank + 1)), Error);
}

TEST(ProductLayout, RefusesSizesThatWrap) {
  HeadSpec spec = spec_of(Loss::kSoftmax, 14757395258967641294U);
  spec.lengths = {2, 2};  // 5 outputs a group with its gate: 4 * 2^64 + 6 of them
  EXPECT_THROW(ProductLayout{spec}, Error);
}

}  // namespace
}  // namespace mhe::heads

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/product_outputs.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"

namespace mhe::heads {
namespace {

HeadSpec spec_of(Loss loss, std::size_t rank) {
  HeadSpec spec;
  spec.kind = HeadKind::kProduct;
  spec.num_labels = 20;
  spec.lengths = {3, 2, 4};
  spec.dim = 1;
  spec.loss = loss;
  spec.rank = rank;
  return spec;
}

std::vector<double> softmax_of(std::span<const double> x) {
  std::vector<double> p(x.begin(), x.end());
  double sum = 0;
  for (double& v : p) sum += v = std::exp(v);
  for (double& v : p) v /= sum;
  return p;
}

// -log sum_g gate_g prod_h softmax(O_g^h)[y_h], mean over labels; or binary cross-entropy. From the
// definitions, in double.
double reference_loss(const HeadSpec& spec, const std::vector<std::uint32_t>& digits,
                      std::span<const double> x) {
  const std::size_t heads = spec.lengths.size();
  const std::size_t group = std::accumulate(spec.lengths.begin(), spec.lengths.end(), 0U);
  if (spec.loss == Loss::kSigmoid) {
    std::vector<double> target(group);
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const auto begin = std::accumulate(
          spec.lengths.begin(), spec.lengths.begin() + static_cast<std::ptrdiff_t>(i % heads), 0U);
      target[begin + digits[i]] = 1;
    }
    double loss = 0;
    for (std::size_t i = 0; i < group; ++i) {
      const double p = 1 / (1 + std::exp(-x[i]));
      loss -= target[i] * std::log(p) + (1 - target[i]) * std::log(1 - p);
    }
    return loss;
  }
  if (digits.empty()) return 0;
  const std::vector<double> gates =
      spec.rank == 1 ? std::vector<double>{1} : softmax_of(x.subspan(spec.rank * group, spec.rank));
  double loss = 0;
  for (std::size_t first = 0; first < digits.size(); first += heads) {
    double p = 0;
    std::size_t begin = 0;
    for (std::size_t g = 0; g < spec.rank; ++g) {
      double product = gates[g];
      for (std::size_t h = 0; h < heads; ++h) {
        product *= softmax_of(x.subspan(begin, spec.lengths[h]))[digits[first + h]];
        begin += spec.lengths[h];
      }
      p += product;
    }
    loss -= std::log(p);
  }
  return loss * static_cast<double>(heads) / static_cast<double>(digits.size());
}

struct LossCase {
  Loss loss;
  std::size_t rank;
  std::vector<std::uint32_t> digits;
};

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
  EXPECT_NEAR(loss, reference_loss(spec, GetParam().digits, x), 1e-5);
  constexpr double kStep = 1e-4;  // central differences in double: error about kStep^2
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = x[i];
    x[i] = at + kStep;
    const double above = reference_loss(spec, GetParam().digits, x);
    x[i] = at - kStep;
    const double below = reference_loss(spec, GetParam().digits, x);
    x[i] = at;
    EXPECT_NEAR(outputs[i], kWeight * (above - below) / (2 * kStep), 1e-6) << "output " << i;
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
}

}  // namespace
}  // namespace mhe::heads

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/digit_maps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"

namespace mhe::heads {
namespace {

HeadSpec product(std::vector<std::uint32_t> lengths, ProductCode code, std::uint64_t labels) {
  return {.num_labels = labels,
          .lengths = std::move(lengths),
          .dim = 4,
          .own = ProductSpec{.code = code}};
}

std::vector<float> softmax_of(std::span<const float> z) {
  std::vector<float> p(z.size());
  float sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i) sum += p[i] = std::exp(z[i]);
  for (float& value : p) value /= sum;
  return p;
}

std::uint32_t draw(std::span<const float> p, RandomStream& random) {
  double place = random.uniform();
  for (std::size_t i = 0; i + 1 < p.size(); ++i) {
    if ((place -= static_cast<double>(p[i])) < 0) return static_cast<std::uint32_t>(i);
  }
  return static_cast<std::uint32_t>(p.size() - 1);
}

TEST(DigitMaps, FindTheTemperatureOfEachHead) {
  const HeadSpec spec = product({5, 7}, ProductCode::kDigits, 35);
  const double true_scales[] = {0.5, 2.0};
  RandomStream random(3, "digit-maps-test");
  std::vector<float> outputs;
  std::vector<std::uint32_t> digits;
  for (int row = 0; row < 3000; ++row) {
    for (std::size_t h = 0; h < 2; ++h) {
      std::vector<float> z;
      for (std::uint32_t d = 0; d < spec.lengths[h]; ++d) {
        z.push_back(static_cast<float>(4 * random.uniform() - 2));
      }
      outputs.insert(outputs.end(), z.begin(), z.end());
      for (float& value : z) value *= static_cast<float>(true_scales[h]);
      digits.push_back(draw(softmax_of(z), random));
    }
  }
  const DigitMaps maps = fit_digit_maps(spec, outputs, digits);
  ASSERT_EQ(maps.scales.size(), 2U);
  EXPECT_NEAR(maps.scales[0], 0.5, 0.06);
  EXPECT_NEAR(maps.scales[1], 2.0, 0.15);
  EXPECT_EQ(maps.shares, (std::vector<float>{0, 0}));
  EXPECT_EQ(maps.biases, std::vector<float>(12, 0.0F));
}

// Two labels that are independent, in a head that never learned what both look like.
TEST(DigitMaps, SetsThatAreNeverSeenBorrowFromTheirLabels) {
  const HeadSpec spec = product({4}, ProductCode::kPowerset, 2);
  RandomStream random(5, "digit-maps-test");
  std::vector<float> outputs;
  std::vector<std::uint32_t> digits;
  for (int row = 0; row < 600; ++row) {
    const bool first = random.below(4) == 0;
    const bool second = random.below(4) == 0;
    // The empty set, the second label (the lower bit), the first, and both, which has no signal.
    outputs.insert(outputs.end(), {1.0F, second ? 4.0F : -1.0F, first ? 4.0F : -1.0F, 0.0F});
    digits.push_back((first ? 2U : 0U) + (second ? 1U : 0U));
  }
  const DigitMaps maps = fit_digit_maps(spec, outputs, digits);
  const std::vector<HeadTensor> tensors = maps.tensors();
  const FindTensor find = [&](std::string_view name) -> const HeadTensor* {
    for (const HeadTensor& tensor : tensors) {
      if (tensor.name == name) return &tensor;
    }
    return nullptr;
  };
  const ProductLayout layout(spec);
  std::size_t right = 0;
  for (std::size_t row = 0; row < digits.size(); ++row) {
    std::vector<float> z(outputs.begin() + static_cast<std::ptrdiff_t>(4 * row),
                         outputs.begin() + static_cast<std::ptrdiff_t>(4 * row + 4));
    DigitMapsView::find(layout, find).apply(layout, z);
    (void)product_probabilities(layout, z);
    EXPECT_NEAR(std::accumulate(z.begin(), z.end(), 0.0), 1, 1e-5);
    right +=
        static_cast<std::size_t>(std::max_element(z.begin(), z.end()) - z.begin()) == digits[row]
            ? 1U
            : 0U;
  }
  EXPECT_EQ(right, digits.size());
}

TEST(DigitMaps, OfADamagedFileAreRefused) {
  const ProductLayout layout(product({5, 7}, ProductCode::kDigits, 35));
  const DigitMaps maps = {{1, 1, 1}, {0, 0}, std::vector<float>(12)};
  const std::vector<HeadTensor> tensors = maps.tensors();
  EXPECT_THROW((void)DigitMapsView::find(layout,
                                         [&](std::string_view name) -> const HeadTensor* {
                                           for (const HeadTensor& t : tensors) {
                                             if (t.name == name) return &t;
                                           }
                                           return nullptr;
                                         }),
               Error);
  const auto nothing = [](std::string_view) -> const HeadTensor* { return nullptr; };
  EXPECT_TRUE(DigitMapsView::find(layout, nothing).scales.empty());
}

}  // namespace
}  // namespace mhe::heads

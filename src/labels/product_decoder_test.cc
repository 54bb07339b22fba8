// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/product_decoder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"

namespace mhe::labels {
namespace {

struct Case {
  LabelSpace space;
  std::size_t rank;
  std::vector<float> probabilities;
  std::vector<float> gates;
};

std::vector<float> random_distribution(RandomStream& random, std::size_t size) {
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(1 + random.below(8));  // with ties
  const float sum = std::accumulate(values.begin(), values.end(), 0.0F);
  for (float& value : values) value /= sum;
  return values;
}

Case random_case(std::uint64_t seed) {
  RandomStream random(seed, "product-decoder-test");
  std::vector<std::uint32_t> lengths(1 + random.below(3));
  std::uint64_t capacity = 1;
  for (std::uint32_t& length : lengths) {
    capacity *= length = static_cast<std::uint32_t>(2 + random.below(6));
  }
  Case c{LabelSpace(1 + random.below(capacity), lengths), 1 + random.below(4), {}, {}};
  for (std::size_t g = 0; g < c.rank; ++g) {
    for (const std::uint32_t length : lengths) {
      for (const float p : random_distribution(random, length)) c.probabilities.push_back(p);
    }
  }
  c.gates = random_distribution(random, c.rank);
  return c;
}

// Every number of the space, labels and phantoms, from the definition.
std::vector<double> all_probabilities(const Case& c) {
  std::vector<double> all(*c.space.capacity());
  const LabelSpace full = LabelSpace::full({c.space.lengths().begin(), c.space.lengths().end()});
  std::vector<std::uint32_t> digits(c.space.num_heads());
  for (std::uint64_t y = 0; y < all.size(); ++y) {
    full.digits(y, digits);
    std::size_t begin = 0;
    for (std::size_t g = 0; g < c.rank; ++g) {
      double product = c.rank == 1 ? 1.0 : static_cast<double>(c.gates[g]);
      for (std::size_t h = 0; h < digits.size(); ++h) {
        product *= static_cast<double>(c.probabilities[begin + digits[h]]);
        begin += c.space.lengths()[h];
      }
      all[y] += product;
    }
  }
  return all;
}

TEST(ProductDecoder, FindsWhatAFullScanFinds) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Case c = random_case(seed);
    std::vector<double> expected = all_probabilities(c);
    expected.resize(*c.space.num_labels());
    ProductDecoder decoder(c.space, c.rank);
    for (const std::size_t k : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
      const std::size_t found = decoder.decode(
          c.probabilities, c.rank == 1 ? std::span<const float>() : std::span(c.gates), k);
      ASSERT_EQ(found, std::min(k, expected.size()));
      std::vector<double> best = expected;
      std::sort(best.rbegin(), best.rend());
      for (std::size_t rank = 0; rank < found; ++rank) {
        // Both sum the same products in double, but not in the same order.
        EXPECT_NEAR(decoder.probability(rank), best[rank], 1e-12);
        EXPECT_NEAR(expected[c.space.label(decoder.digits(rank))], best[rank], 1e-12);
        if (rank == 0 || decoder.probability(rank) != decoder.probability(rank - 1)) continue;
        EXPECT_LT(c.space.label(decoder.digits(rank - 1)), c.space.label(decoder.digits(rank)));
      }
    }
  }
}

std::vector<std::uint64_t> best_numbers(const Case& c, std::size_t k) {
  std::vector<double> all = all_probabilities(c);
  all.resize(*c.space.num_labels());
  std::vector<std::uint64_t> numbers(all.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return all[a] > all[b]; });
  numbers.resize(std::min(k, numbers.size()));
  return numbers;
}

void expect_best(const Case& c, std::size_t k) {
  ProductDecoder decoder(c.space, c.rank);
  ASSERT_EQ(decoder.decode(c.probabilities, c.gates, k),
            std::min<std::uint64_t>(k, *c.space.num_labels()));
  std::vector<std::uint64_t> found;
  for (std::size_t rank = 0; rank < decoder.size(); ++rank) {
    found.push_back(c.space.label(decoder.digits(rank)));
  }
  EXPECT_EQ(found, best_numbers(c, k));
}

// Powers of two, so that products and sums are exact and many are equal.
TEST(ProductDecoder, EqualOnesOfSeveralGroupsGoToTheSmallerLabel) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Case c = random_case(seed);
    if (c.rank == 1) continue;
    RandomStream random(seed, "powers");
    for (float& p : c.probabilities) p = 1.0F / static_cast<float>(1U << random.below(3));
    for (float& gate : c.gates) gate = 1.0F / static_cast<float>(1U << random.below(2));
    for (const std::size_t k : {1U, 2U, 5U, 20U}) expect_best(c, k);
  }
}

// What no group thinks best may be best of all, and with noise no group helps to find it.
TEST(ProductDecoder, FindsTheBestOfNoise) {
  for (const std::vector<std::uint32_t>& lengths :
       {std::vector<std::uint32_t>{300, 700}, std::vector<std::uint32_t>{50, 60, 70},
        std::vector<std::uint32_t>{200000}}) {
    std::uint64_t capacity = 1;
    for (const std::uint32_t length : lengths) capacity *= length;
    Case c{LabelSpace(capacity - 12345, lengths), 3, {}, {0.5F, 0.3F, 0.2F}};
    RandomStream random(4, "noise");
    for (std::size_t g = 0; g < c.rank; ++g) {
      for (const std::uint32_t length : lengths) {
        for (std::uint32_t i = 0; i < length; ++i) {
          c.probabilities.push_back(static_cast<float>((1 + 0.1 * random.uniform()) / length));
        }
      }
    }
    expect_best(c, 1);
    expect_best(c, 50);
    expect_best(c, 20000);
  }
}

TEST(ProductDecoder, TakesFlatPredictionsOfHugeSpaces) {
  const auto flat = [](const LabelSpace& space, std::size_t k) {
    std::size_t sum = 0;
    for (const std::uint32_t length : space.lengths()) sum += length;
    ProductDecoder decoder(space, 4);
    const std::vector<float> probabilities(4 * sum, 1.0F / 1024);
    const std::vector<float> gates(4, 0.25F);
    ASSERT_EQ(decoder.decode(probabilities, gates, k), k);
    for (std::size_t rank = 0; rank < k; ++rank) {
      std::vector<std::uint32_t> expected(space.num_heads(), 0);
      expected.back() = static_cast<std::uint32_t>(rank);
      EXPECT_EQ(
          std::vector<std::uint32_t>(decoder.digits(rank).begin(), decoder.digits(rank).end()),
          expected);
    }
  };
  flat(LabelSpace(100000000, {10000, 10000}), 10);
  flat(LabelSpace(100000000, {500, 500, 400}), 10);
  flat(LabelSpace::powerset(80, 16), 10);
}

TEST(ProductDecoder, RefusesWhatDoesNotFit) {
  ProductDecoder decoder(LabelSpace(4, {2, 2}), 2);
  const std::vector<float> probabilities(8, 0.5F);
  const std::vector<float> gates(2, 0.5F);
  EXPECT_THROW(decoder.decode(std::span(probabilities).first(4), gates, 1), Error);
  EXPECT_THROW(decoder.decode(probabilities, {}, 1), Error);
  EXPECT_EQ(decoder.decode(probabilities, gates, 1), 1U);
  EXPECT_THROW((void)decoder.digits(1), Error);
  EXPECT_THROW(ProductDecoder(LabelSpace(4, {2, 2}), 0), Error);
}

TEST(PhantomMass, IsWhatNoLabelHas) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Case c = random_case(seed);
    c.rank = 1;
    const std::vector<double> all = all_probabilities(c);
    const auto phantoms = all.begin() + static_cast<std::ptrdiff_t>(*c.space.num_labels());
    // A sum of at most 343 products of floats that each sum to 1 within 7 roundings.
    EXPECT_NEAR(phantom_mass(c.space, c.probabilities), std::accumulate(phantoms, all.end(), 0.0),
                1e-6);
  }
}

}  // namespace
}  // namespace mhe::labels

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/product_codes.h"

#include <algorithm>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"

namespace mhe::labels {
namespace {

using Lengths = std::vector<std::uint32_t>;

std::vector<float> random_embeddings(std::size_t labels, std::size_t width, std::uint64_t seed) {
  RandomStream random(seed, "codes-test");
  std::vector<float> values(labels * width);
  for (float& value : values) value = static_cast<float>(random.uniform());
  return values;
}

void expect_distinct(const std::vector<std::uint32_t>& codes, std::size_t labels,
                     const Lengths& lengths) {
  ASSERT_EQ(codes.size(), labels * lengths.size());
  std::set<Lengths> seen;
  for (std::size_t label = 0; label < labels; ++label) {
    const auto row = codes.begin() + static_cast<std::ptrdiff_t>(label * lengths.size());
    EXPECT_TRUE(seen.emplace(row, row + static_cast<std::ptrdiff_t>(lengths.size())).second);
  }
}

void expect_balanced(const std::vector<std::uint32_t>& codes, std::size_t labels,
                     const Lengths& lengths) {
  for (std::size_t head = 0; head < lengths.size(); ++head) {
    std::vector<std::size_t> counts(lengths[head]);
    for (std::size_t label = 0; label < labels; ++label) {
      ++counts.at(codes[label * lengths.size() + head]);
    }
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    EXPECT_LE(*most - *least, 1U) << "head " << head;
  }
}

TEST(ProductCodes, AreDistinctForAnyLengths) {
  const Context context({.threads = 2});
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random(seed, "codes-lengths");
    Lengths lengths(1 + random.below(5));
    std::uint64_t capacity = 1;
    for (std::uint32_t& length : lengths) {
      length = static_cast<std::uint32_t>(1 + random.below(12));
      capacity *= length;
    }
    const std::size_t labels = 1 + random.below(std::min<std::uint64_t>(capacity, 400));
    const std::vector<float> embeddings = random_embeddings(labels, 3, seed);
    SCOPED_TRACE(seed);
    expect_distinct(
        product_codes(context.with_seed(seed), labels, {embeddings.data(), labels, 3}, lengths),
        labels, lengths);
  }
}

TEST(ProductCodes, AreBalancedWhereAllHeadsAreNeeded) {
  const Context context({.threads = 1});
  for (const std::size_t labels : {41U, 60U, 100U, 119U}) {
    const std::vector<float> embeddings = random_embeddings(labels, 8, 1);
    const Lengths lengths = {10, 12};
    const auto codes = product_codes(context, labels, {embeddings.data(), labels, 8}, lengths);
    expect_distinct(codes, labels, lengths);
    expect_balanced(codes, labels, lengths);
  }
}

TEST(ProductCodes, FillTheWholeSpace) {
  const Context context({.threads = 1});
  const std::vector<float> embeddings = random_embeddings(120, 8, 1);
  const Lengths lengths = {4, 5, 6};
  const auto codes = product_codes(context, 120, {embeddings.data(), 120, 8}, lengths);
  expect_distinct(codes, 120, lengths);
  expect_balanced(codes, 120, lengths);
}

TEST(ProductCodes, TellEqualLabelsApart) {
  const Context context({.threads = 1});
  const std::vector<float> zeros(300 * 4);
  for (const Lengths& lengths : {Lengths{18, 17}, Lengths{18, 18, 18, 18}, Lengths{2, 300}}) {
    expect_distinct(product_codes(context, 300, {zeros.data(), 300, 4}, lengths), 300, lengths);
    expect_distinct(product_codes(context, 300, {}, lengths), 300, lengths);
  }
}

// Labels on a grid: each head should cut it into cells, so labels with equal digits are near.
TEST(ProductCodes, PutAlikeLabelsTogether) {
  const Context context({.threads = 1});
  constexpr std::size_t kSide = 32;
  std::vector<float> grid;
  for (std::size_t i = 0; i < kSide * kSide; ++i) {
    grid.push_back(static_cast<float>(i / kSide));
    grid.push_back(static_cast<float>(i % kSide));
  }
  const auto spread = [&](MatrixView embeddings, std::size_t num_heads) {
    const Lengths lengths(num_heads, 32);
    const auto codes = product_codes(context, kSide * kSide, embeddings, lengths);
    double sum = 0;
    std::size_t pairs = 0;
    for (std::size_t a = 0; a < kSide * kSide; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (codes[a * num_heads] != codes[b * num_heads]) continue;
        for (std::size_t j = 0; j < 2; ++j) {
          const double d =
              static_cast<double>(grid[2 * a + j]) - static_cast<double>(grid[2 * b + j]);
          sum += d * d;
        }
        ++pairs;
      }
    }
    return sum / static_cast<double>(pairs);
  };
  const MatrixView view = {grid.data(), kSide * kSide, 2};
  // By chance two labels are 2 * (32^2 - 1) / 6 = 341 apart, squared.
  EXPECT_GT(spread({}, 2), 250);
  EXPECT_LT(spread(view, 2), 60);
  // In two dimensions neighbours share cells of all eight heads and have to change digits.
  EXPECT_LT(spread(view, 8), 120);
}

TEST(ProductCodes, DependOnTheSeedButNotOnThreads) {
  const std::vector<float> embeddings = random_embeddings(1000, 20, 3);
  for (const Lengths& lengths : {Lengths{32, 32}, Lengths(6, 32)}) {
    const auto codes_with = [&](std::size_t threads, std::uint64_t seed) {
      const Context context({.threads = threads, .seed = seed});
      return product_codes(context, 1000, {embeddings.data(), 1000, 20}, lengths);
    };
    EXPECT_EQ(codes_with(1, 5), codes_with(3, 5));
    EXPECT_NE(codes_with(1, 5), codes_with(1, 6));
  }
}

TEST(ProductCodes, RefuseWhatCannotBe) {
  const Context context({.threads = 1});
  EXPECT_THROW((void)product_codes(context, 10, {}, Lengths{3, 3}), Error);
  EXPECT_THROW((void)product_codes(context, 10, {}, Lengths{}), Error);
  std::vector<float> embeddings(10, 0.0F);
  EXPECT_THROW((void)product_codes(context, 11, {embeddings.data(), 10, 1}, Lengths{4, 4}), Error);
  embeddings[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW((void)product_codes(context, 10, {embeddings.data(), 10, 1}, Lengths{4, 4}), Error);
}

}  // namespace
}  // namespace mhe::labels

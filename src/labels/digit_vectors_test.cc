// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/digit_vectors.h"

#include <limits>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"
#include "labels/product_codes.h"

namespace mhe::labels {
namespace {

using Lengths = std::vector<std::uint32_t>;

constexpr std::size_t kLabels = 400;
constexpr std::size_t kWidth = 6;

std::vector<float> random_embeddings(std::uint64_t seed) {
  RandomStream random(seed, "digit-vectors-test");
  std::vector<float> values(kLabels * kWidth);
  for (float& value : values) value = static_cast<float>(random.uniform());
  return values;
}

// The sum of squares that the vectors of the digits leave of the embeddings.
double left_by(const std::vector<float>& embeddings, const std::vector<std::uint32_t>& codes,
               const Lengths& lengths) {
  const std::vector<float> vectors =
      digit_vectors({embeddings.data(), kLabels, kWidth}, codes, lengths);
  double squares = 0;
  for (std::size_t i = 0; i < embeddings.size(); ++i) {
    double left = static_cast<double>(embeddings[i]);
    std::size_t begin = 0;
    for (std::size_t h = 0; h < lengths.size(); ++h) {
      const std::size_t digit = begin + codes[i / kWidth * lengths.size() + h];
      left -= static_cast<double>(vectors[digit * kWidth + i % kWidth]);
      begin += lengths[h];
    }
    squares += left * left;
  }
  return squares;
}

TEST(DigitVectors, SumUpToTheEmbeddings) {
  const Context context({.threads = 1});
  const std::vector<float> values = random_embeddings(9);
  double before = std::numeric_limits<double>::infinity();
  for (std::size_t heads = 2; heads <= 6; heads += 2) {
    const Lengths lengths(heads, 20);
    const auto codes = product_codes(context, kLabels, {values.data(), kLabels, kWidth}, lengths);
    const double left = left_by(values, codes, lengths);
    EXPECT_LT(left, 0.5 * before);
    before = left;
  }
  // Six numbers with a variance of 1/12 each; six heads leave little.
  EXPECT_LT(before, 0.02 * kLabels * kWidth / 12);
}

TEST(DigitVectors, RefuseDigitsThatDoNotFit) {
  const std::vector<float> values = random_embeddings(1);
  const MatrixView view = {values.data(), kLabels, kWidth};
  std::vector<std::uint32_t> codes(2 * kLabels, 4);
  EXPECT_NO_THROW((void)digit_vectors(view, codes, Lengths{5, 5}));
  EXPECT_THROW((void)digit_vectors(view, codes, Lengths{5, 4}), Error);
  codes.pop_back();
  EXPECT_THROW((void)digit_vectors(view, codes, Lengths{5, 5}), Error);
}

TEST(ImproveCodes, LeavesLessWithAnyNumberOfThreads) {
  const std::vector<float> values = random_embeddings(2);
  const Lengths lengths = {7, 9, 11};
  RandomStream random(3, "digit-vectors-test");
  std::vector<std::uint32_t> start;
  for (std::size_t i = 0; i < kLabels * lengths.size(); ++i) {
    start.push_back(static_cast<std::uint32_t>(random.below(lengths[i % lengths.size()])));
  }
  const auto improved = [&](std::size_t threads) {
    std::vector<std::uint32_t> codes = start;
    std::vector<float> copy = values;
    improve_codes(Context({.threads = threads}), {copy.data(), kLabels, kWidth}, codes, lengths);
    return codes;
  };
  EXPECT_LT(left_by(values, improved(1), lengths), 0.3 * left_by(values, start, lengths));
  EXPECT_EQ(improved(1), improved(3));
}

TEST(ImproveCodes, SumsOfDigitsCanBeExact) {
  // Labels that are sums of one of 4 and one of 5 numbers in places of their own.
  std::vector<float> values(20 * 2);
  std::vector<std::uint32_t> codes;
  for (std::size_t label = 0; label < 20; ++label) {
    values[2 * label] = static_cast<float>(label % 4);
    values[2 * label + 1] = static_cast<float>(label / 4);
    codes.push_back(static_cast<std::uint32_t>(label % 4));
    codes.push_back(static_cast<std::uint32_t>(label / 4));
  }
  improve_codes(Context({.threads = 1}), {values.data(), 20, 2}, codes, Lengths{4, 5});
  for (const float left : values) EXPECT_NEAR(left, 0, 1e-5);
}

}  // namespace
}  // namespace mhe::labels

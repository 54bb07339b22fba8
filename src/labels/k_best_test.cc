// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/k_best.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"

namespace mhe::labels {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

std::vector<std::uint64_t> decode_labels(KBestDecoder& decoder, std::span<const float> scores,
                                         std::size_t k) {
  decoder.decode(scores, k);
  std::vector<std::uint64_t> labels;
  for (std::size_t rank = 0; rank < decoder.size(); ++rank) {
    labels.push_back(decoder.space().label(decoder.digits(rank)));
  }
  return labels;
}

// The meaning of decode(): score every label, sort.
std::vector<std::uint64_t> rank_all_labels(const LabelSpace& space, std::span<const float> scores) {
  struct Scored {
    bool possible;
    std::int64_t units;  // of 2^-40
    std::uint64_t label;
  };
  std::vector<Scored> all;
  std::vector<std::uint32_t> digits(space.num_heads());
  for (std::uint64_t label = 0; label < *space.num_labels(); ++label) {
    space.digits(label, digits);
    Scored scored = {true, 0, label};
    std::size_t begin = 0;
    for (std::size_t h = 0; h < digits.size(); ++h) {
      const double log_prob = std::log(static_cast<double>(scores[begin + digits[h]]));
      begin += space.lengths()[h];
      if (std::isinf(log_prob)) {
        scored.possible = false;
      } else {
        scored.units += std::llrint(log_prob * 0x1.0p40);
      }
    }
    if (!scored.possible) scored.units = 0;
    all.push_back(scored);
  }
  std::sort(all.begin(), all.end(), [](const Scored& a, const Scored& b) {
    if (a.possible != b.possible) return a.possible;
    return a.units != b.units ? a.units > b.units : a.label < b.label;
  });
  std::vector<std::uint64_t> labels;
  for (const Scored& scored : all) labels.push_back(scored.label);
  return labels;
}

TEST(KBestDecoder, RanksTheKroneckerExampleOfThePaper) {
  KBestDecoder decoder(LabelSpace(8, {2, 2, 2}));
  const std::vector<float> scores = {0.3F, 0.7F, 0.8F, 0.2F, 0.6F, 0.4F};
  EXPECT_THAT(decode_labels(decoder, scores, 8), ElementsAre(4, 5, 0, 1, 6, 7, 2, 3));
  EXPECT_THAT(decoder.digits(0), ElementsAre(1, 0, 0));
  EXPECT_THAT(std::exp(decoder.log_prob(0)), DoubleNear(0.336, 1e-7));  // scores are floats
  EXPECT_THAT(std::exp(decoder.log_prob(7)), DoubleNear(0.024, 1e-7));
}

TEST(KBestDecoder, SkipsPhantomsEvenWhenTheyScoreBest) {
  KBestDecoder decoder(LabelSpace(5, {3, 3}));
  const std::vector<float> scores = {0.1F, 0.2F, 0.7F, 0.1F, 0.2F, 0.7F};
  EXPECT_THAT(decode_labels(decoder, scores, 9), ElementsAre(2, 4, 1, 3, 0));
}

TEST(KBestDecoder, BreaksTiesBySmallerLabel) {
  KBestDecoder decoder(LabelSpace(11, {3, 4}));
  const std::vector<float> same(7, 0.25F);
  EXPECT_THAT(decode_labels(decoder, same, 4), ElementsAre(0, 1, 2, 3));
}

// The logs of 0.9, 0.5 and 0.7 are added in two orders, which round to different doubles.
TEST(KBestDecoder, TreatsSumsThatDifferOnlyInTheOrderOfAdditionsAsTies) {
  const std::vector<float> scores = {0.9F, 0.5F, 0.5F, 0.7F, 0.7F, 0.9F};
  KBestDecoder decoder(LabelSpace(8, {2, 2, 2}));
  EXPECT_EQ(decode_labels(decoder, scores, 8), rank_all_labels(decoder.space(), scores));
}

TEST(KBestDecoder, PutsImpossibleLabelsLastInLabelOrder) {
  KBestDecoder decoder(LabelSpace(9, {3, 3}));
  const std::vector<float> scores = {0, 0.4F, 0.6F, 0.5F, 0, 0.5F};
  EXPECT_THAT(decode_labels(decoder, scores, 100), ElementsAre(6, 8, 3, 5, 0, 1, 2, 4, 7));
  EXPECT_EQ(decoder.log_prob(4), -std::numeric_limits<double>::infinity());
}

TEST(KBestDecoder, AcceptsHeadsWithoutAnyPossibleDigit) {
  KBestDecoder decoder(LabelSpace(5, {2, 3}));
  const std::vector<float> scores = {0.5F, 0.5F, 0, 0, 0};
  EXPECT_THAT(decode_labels(decoder, scores, 3), ElementsAre(0, 1, 2));
}

// One random case: few distinct scores make many ties, zeros make impossible labels.
struct RandomCase {
  LabelSpace space;
  std::vector<float> scores;
};

RandomCase random_case(std::uint64_t seed) {
  RandomStream random(seed, "k-best-test");
  std::vector<std::uint32_t> lengths(1 + random.below(5));
  std::uint64_t product = 1;
  std::size_t sum = 0;
  for (std::uint32_t& length : lengths) {
    length = static_cast<std::uint32_t>(1 + random.below(lengths.size() > 3 ? 5 : 9));
    product *= length;
    sum += length;
  }
  const std::uint64_t labels = random.below(3) == 0 ? product : 1 + random.below(product);
  const std::uint64_t levels = random.below(4) == 0 ? 1000000 : 1 + random.below(6);
  const std::uint64_t zero_share = random.below(3);  // of 4
  std::vector<float> scores(sum);
  for (float& score : scores) {
    const double value =
        static_cast<double>(1 + random.below(levels)) / static_cast<double>(levels);
    const bool zero = random.below(4) < zero_share;
    score = zero ? 0 : static_cast<float>(value);
  }
  return {LabelSpace(labels, lengths), scores};
}

TEST(KBestDecoder, EqualsAFullScanOnRandomCasesForEveryK) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const RandomCase c = random_case(seed);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << *c.space.num_labels()
                                    << " labels, lengths " << c.space.describe());
    const std::vector<std::uint64_t> expected = rank_all_labels(c.space, c.scores);
    KBestDecoder decoder(c.space);
    const std::size_t step = expected.size() > 60 ? 1 + expected.size() / 25 : 1;
    for (std::size_t k = 0; k <= expected.size() + step; k += step) {
      const std::vector<std::uint64_t> found = decode_labels(decoder, c.scores, k);
      ASSERT_EQ(found.size(), std::min(k, expected.size()));
      ASSERT_TRUE(std::equal(found.begin(), found.end(), expected.begin())) << "k " << k;
    }
  }
}

// Without ties the ranking is that of plain products in double.
TEST(KBestDecoder, AgreesWithProductsOfProbabilities) {
  const LabelSpace space(100, {6, 5, 4});
  RandomStream random(7, "k-best-products");
  std::vector<float> scores(15);
  for (float& score : scores) score = static_cast<float>(random.uniform());
  KBestDecoder decoder(space);
  const auto labels = decode_labels(decoder, scores, 100);
  double previous = 2;
  for (std::size_t rank = 0; rank < labels.size(); ++rank) {
    const auto digits = decoder.digits(rank);
    const double product = static_cast<double>(scores[digits[0]]) *
                           static_cast<double>(scores[6 + digits[1]]) *
                           static_cast<double>(scores[11 + digits[2]]);
    EXPECT_LT(product, previous);
    EXPECT_NEAR(std::exp(decoder.log_prob(rank)), product, 1e-11 * product);
    previous = product;
  }
}

TEST(KBestDecoder, IsFastWhenAlmostHalfOfAllTuplesArePhantoms) {
  // 2^60 tuples, of which the best 2^59 - 1 by score are phantoms: a search that popped them one
  // by one would never end.
  const std::vector<std::uint32_t> lengths(60, 2);
  KBestDecoder decoder(LabelSpace((std::uint64_t{1} << 59) + 1, lengths));
  std::vector<float> scores;
  for (std::size_t h = 0; h < lengths.size(); ++h) {
    scores.push_back(0.01F);
    scores.push_back(0.99F);
  }
  const auto labels = decode_labels(decoder, scores, 2);
  EXPECT_EQ(labels[0], (std::uint64_t{1} << 59) - 1);
  // Next best have one more zero digit; of these ties the smallest has it in front.
  EXPECT_EQ(labels[1], (std::uint64_t{1} << 58) - 1);
}

TEST(KBestDecoder, DecodesSpacesBeyond64Bits) {
  KBestDecoder decoder(LabelSpace::full(std::vector<std::uint32_t>(16, 32)));
  std::vector<float> scores(16 * 32, 0.01F);
  for (std::size_t h = 0; h < 16; ++h) scores[h * 32 + 20] = 0.5F;
  scores[6] = 0.6F;  // the best first digit
  ASSERT_EQ(decoder.decode(scores, 3), 3U);
  std::vector<std::uint32_t> expected(16, 20);
  expected[0] = 6;
  EXPECT_THAT(decoder.digits(0), testing::ElementsAreArray(expected));
  // The second best first digit, 0.5^16, beats a change in a later head, 0.6 * 0.01 * 0.5^14.
  expected[0] = 20;
  EXPECT_THAT(decoder.digits(1), testing::ElementsAreArray(expected));
  // Of equal ones the smallest digits come first.
  expected[0] = 6;
  expected[1] = 0;
  EXPECT_THAT(decoder.digits(2), testing::ElementsAreArray(expected));
  EXPECT_NEAR(decoder.log_prob(0), std::log(0.6) + 15 * std::log(0.5), 1e-6);
}

TEST(KBestDecoder, RefusesScoresThatAreNoProbabilities) {
  KBestDecoder decoder(LabelSpace(4, {2, 2}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, -0.5F, infinity}) {
    const std::vector<float> scores = {0.5F, 0.5F, 0.5F, bad};
    EXPECT_THROW(decoder.decode(scores, 1), Error) << bad;
    EXPECT_EQ(decoder.size(), 0U);
  }
  EXPECT_THROW(decoder.decode(std::vector<float>(3, 0.5F), 1), Error);
  EXPECT_THROW((void)decoder.digits(0), Error);
}

}  // namespace
}  // namespace mhe::labels

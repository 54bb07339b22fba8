// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/label_space.h>

#include "base/random.h"

namespace mhe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Digits = std::vector<std::uint32_t>;

Digits digits_of(const LabelSpace& space, std::uint64_t label) {
  Digits digits(space.num_heads());
  space.digits(label, digits);
  return digits;
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "nothing was thrown";
}

TEST(LabelSpace, TakesDigitsMostSignificantFirst) {
  const LabelSpace space(24, {2, 3, 4});
  EXPECT_THAT(digits_of(space, 0), ElementsAre(0, 0, 0));
  EXPECT_THAT(digits_of(space, 3), ElementsAre(0, 0, 3));
  EXPECT_THAT(digits_of(space, 4), ElementsAre(0, 1, 0));
  EXPECT_THAT(digits_of(space, 23), ElementsAre(1, 2, 3));
  EXPECT_EQ(space.label(Digits{1, 1, 1}), 12U + 4U + 1U);
}

// Eq. 10 as it is printed, with its running remainder, against the codec.
TEST(LabelSpace, AgreesWithEquation10) {
  const Digits lengths = {7, 1, 5, 3};
  const LabelSpace space(100, lengths);
  for (std::uint64_t label = 0; label < 100; ++label) {
    std::uint64_t rest = label;
    for (std::size_t h = 0; h < lengths.size(); ++h) {
      std::uint64_t weight = 1;
      for (std::size_t j = h + 1; j < lengths.size(); ++j) weight *= lengths[j];
      EXPECT_EQ(digits_of(space, label)[h], rest / weight);
      rest -= rest / weight * weight;
    }
  }
}

TEST(LabelSpace, RoundTripsRandomSpaces) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "label-space-test");
    Digits lengths(1 + random.below(8));
    std::uint64_t product = 1;
    for (std::uint32_t& length : lengths) {
      length = static_cast<std::uint32_t>(1 + random.below(200));
      product *= length;
    }
    const LabelSpace space(1 + random.below(product), lengths);
    const std::uint64_t label = random.below(*space.num_labels());
    ASSERT_EQ(space.label(digits_of(space, label)), label);
    ASSERT_FALSE(space.is_phantom(digits_of(space, label)));
  }
}

TEST(LabelSpace, RecognisesPhantoms) {
  const LabelSpace space(7, {3, 3});
  EXPECT_FALSE(space.is_phantom(Digits{2, 0}));
  EXPECT_TRUE(space.is_phantom(Digits{2, 1}));
  EXPECT_THAT(message_of([&] { digits_of(space, 7); }), HasSubstr("there are 7 labels"));
  EXPECT_THAT(message_of([&] { (void)space.label(Digits{2, 1}); }), HasSubstr("(2, 1)"));
}

TEST(LabelSpace, RefusesLengthsThatDoNotCoverTheLabels) {
  const std::string message = message_of([] { LabelSpace(1728000, {36, 36, 36, 36}); });
  EXPECT_THAT(message, HasSubstr("36 x 36 x 36 x 36"));
  EXPECT_THAT(message, HasSubstr("1679616"));
  EXPECT_THAT(message, HasSubstr("1728000"));
}

TEST(LabelSpace, RefusesNonsense) {
  EXPECT_THAT(message_of([] { LabelSpace(1, {}); }), HasSubstr("1 to 64 heads"));
  EXPECT_THAT(message_of([] { LabelSpace(1, Digits(65, 2)); }), HasSubstr("got 65"));
  EXPECT_THAT(message_of([] { LabelSpace(1, {4, 0}); }), HasSubstr("head 2 is 0"));
  EXPECT_THAT(message_of([] { LabelSpace(0, {4}); }), HasSubstr("at least 1 label"));
  const LabelSpace space(6, {2, 3});
  EXPECT_THAT(message_of([&] { (void)space.label(Digits{0, 3}); }), HasSubstr("length is 3"));
  EXPECT_THAT(message_of([&] { (void)space.label(Digits{0}); }), HasSubstr("expected 2 digits"));
}

TEST(LabelSpace, GoesBeyond64Bits) {
  const LabelSpace space = LabelSpace::full(Digits(16, 32));
  EXPECT_EQ(space.num_labels(), std::nullopt);
  EXPECT_EQ(space.capacity(), std::nullopt);
  EXPECT_FALSE(space.is_phantom(Digits(16, 31)));
  Digits small(16, 0);
  small[14] = 3;
  EXPECT_EQ(space.label(small), 96U);  // a small label still has its number
  EXPECT_THAT(message_of([&] { (void)space.label(Digits(16, 31)); }), HasSubstr("64 bits"));
}

TEST(LabelSpace, HoldsAllOf64Bits) {
  const LabelSpace space = LabelSpace::powerset(64, 4);
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(space.label(digits_of(space, kLargest)), kLargest);
  EXPECT_EQ(space.num_labels(), std::nullopt);  // 2^64 does not fit, though every label does
}

TEST(LabelSpacePowerset, PutsTheFirstLabelIntoTheMostSignificantBit) {
  const LabelSpace space = LabelSpace::powerset(80, 16);
  EXPECT_EQ(space.num_binary_labels(), 80U);
  EXPECT_THAT(space.lengths(), testing::Each(32));
  Digits digits(16);
  space.set_digits(Digits{79, 0, 6}, digits);
  Digits expected(16, 0);
  expected[0] = 16;
  expected[1] = 8;
  expected[15] = 1;
  EXPECT_EQ(digits, expected);
  EXPECT_THAT(space.set_members(digits), ElementsAre(0, 6, 79));
}

TEST(LabelSpacePowerset, RoundTripsRandomSetsOfAnyShape) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "powerset-test");
    const std::size_t heads = 1 + random.below(20);
    const std::size_t labels = heads + random.below(heads * 30);
    const LabelSpace space = LabelSpace::powerset(labels, heads);
    ASSERT_EQ(space.num_binary_labels(), labels);
    Digits members;
    for (std::uint32_t label = 0; label < labels; ++label) {
      if (random.below(3) == 0) members.push_back(label);
    }
    Digits digits(heads);
    space.set_digits(members, digits);
    ASSERT_EQ(space.set_members(digits), members);
  }
}

TEST(LabelSpacePowerset, RefusesWhatDoesNotFit) {
  EXPECT_THAT(message_of([] { (void)LabelSpace::powerset(80, 2); }), HasSubstr("3 heads"));
  EXPECT_THAT(message_of([] { (void)LabelSpace::powerset(3, 4); }), HasSubstr("3 binary labels"));
  const LabelSpace space = LabelSpace::powerset(4, 2);
  Digits digits(2);
  EXPECT_THAT(message_of([&] { space.set_digits(Digits{4}, digits); }), HasSubstr("out of range"));
  EXPECT_THAT(message_of([&] { space.set_digits(Digits{1, 1}, digits); }), HasSubstr("twice"));
  EXPECT_THAT(message_of([] { (void)LabelSpace(5, {5}).num_binary_labels(); }),
              HasSubstr("powers of two"));
}

}  // namespace
}  // namespace mhe

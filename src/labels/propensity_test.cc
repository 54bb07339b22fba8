// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/label_space.h>

namespace mhe {
namespace {

using ::testing::ElementsAre;

TEST(LabelCounts, CountsExamples) {
  Ragged<LabelId> labels;
  labels.push_row(std::vector{LabelId{0}, LabelId{2}});
  labels.push_row(std::vector<LabelId>{});
  labels.push_row(std::vector{LabelId{2}});
  EXPECT_THAT(label_counts(labels, 4), ElementsAre(1, 0, 2, 0));
  EXPECT_THROW((void)label_counts(labels, 2), Error);
}

// N = 1000, A = 0.55, B = 1.5: c = (6.907755 - 1) * 2.5^0.55 = 5.907755 * 1.655263 = 9.778889;
// N_l = 10: 11.5^-0.55 = 0.260985, p = 1 / (1 + 2.552144) = 0.281520.
// N_l = 0: 1.5^-0.55 = 0.800102, p = 1 / (1 + 7.824110) = 0.113325.
TEST(Propensities, AgreeWithValuesWorkedByHand) {
  const std::vector<double> p = propensities(std::vector<std::uint64_t>{10, 0}, 1000);
  EXPECT_NEAR(p[0], 0.281520, 1e-6);
  EXPECT_NEAR(p[1], 0.113325, 1e-6);
}

// B = 0.4, A = 0.5: c = 5.907755 * sqrt(1.4) = 6.990166; sqrt(10.4) = 3.224903;
// p = 1 / (1 + 6.990166 / 3.224903) = 0.315701.
TEST(Propensities, AgreeWithValuesWorkedByHandForWikipedia) {
  const auto p = propensities(std::vector<std::uint64_t>{10}, 1000, propensity_preset("wikipedia"));
  EXPECT_NEAR(p[0], 0.315701, 1e-6);
}

TEST(Propensities, PresetsAreThoseOfThePaper) {
  EXPECT_EQ(propensity_preset("default").a, 0.55);
  EXPECT_EQ(propensity_preset("default").b, 1.5);
  EXPECT_EQ(propensity_preset("amazon").a, 0.6);
  EXPECT_EQ(propensity_preset("amazon").b, 2.6);
  EXPECT_THROW((void)propensity_preset("eurlex"), Error);
}

TEST(Propensities, RiseWithFrequencyAndStayProbabilities) {
  const std::vector<std::uint64_t> counts = {0, 1, 2, 10, 1000, 1000000};
  for (const std::uint64_t examples : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
                                       std::uint64_t{3}, std::uint64_t{1000000}}) {
    const auto p = propensities(counts, examples);
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_GT(p[i], 0);
      EXPECT_LE(p[i], 1);
      EXPECT_GE(p[i], p[i > 0 ? i - 1 : 0]);
    }
  }
}

TEST(Propensities, RefuseConstantsOutsideTheModel) {
  EXPECT_THROW((void)propensities({}, 10, {-1, 1}), Error);
  EXPECT_THROW((void)propensities({}, 10, {1, 0}), Error);
  EXPECT_THROW((void)propensities({}, 10, {std::nan(""), 1}), Error);
}

}  // namespace
}  // namespace mhe

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/metrics.h>

namespace mhe::metrics {
namespace {

TEST(Reliability, FiguresWorkedByHand) {
  Reliability reliability;
  for (int i = 0; i < 100; ++i) reliability.add(0.25, i < 20);   // off by 0.05
  for (int i = 0; i < 300; ++i) reliability.add(0.75, i < 285);  // off by 0.2
  const ReliabilityReport report = reliability.report();
  EXPECT_EQ(report.count, 400U);
  EXPECT_EQ(report.hits, 305U);
  EXPECT_NEAR(report.expected_error, (100 * 0.05 + 300 * 0.2) / 400, 1e-12);
  EXPECT_NEAR(report.maximum_error, 0.2, 1e-12);
  const double squares = 20 * 0.75 * 0.75 + 80 * 0.25 * 0.25 + 285 * 0.25 * 0.25 + 15 * 0.75 * 0.75;
  EXPECT_NEAR(report.brier, squares / 400, 1e-12);
}

TEST(Reliability, BinsTakeTheirLowerEndAndTheLastBothEnds) {
  Reliability reliability(4);
  for (const double p : {0.0, 0.24, 0.25, 0.5, 0.75, 1.0}) reliability.add(p, true);
  const ReliabilityReport report = reliability.report();
  ASSERT_EQ(report.bins.size(), 4U);
  EXPECT_EQ(report.bins[0].count, 2U);
  EXPECT_EQ(report.bins[1].count, 1U);
  EXPECT_EQ(report.bins[2].count, 1U);
  EXPECT_EQ(report.bins[3].count, 2U);
  EXPECT_DOUBLE_EQ(report.bins[3].low, 0.75);
  EXPECT_DOUBLE_EQ(report.bins[3].high, 1.0);
  EXPECT_DOUBLE_EQ(report.bins[0].mean_probability, 0.12);
  EXPECT_DOUBLE_EQ(report.bins[0].hit_rate, 1.0);
}

TEST(Reliability, SmallBinsDoNotDecideTheMaximum) {
  Reliability reliability;
  for (int i = 0; i < 100; ++i) reliability.add(0.5, i % 2 == 0);
  reliability.add(0.95, false);
  const ReliabilityReport report = reliability.report();
  EXPECT_NEAR(report.maximum_error, 0.0, 1e-12);
  EXPECT_NEAR(report.expected_error, 0.95 / 101, 1e-12);
}

TEST(Reliability, NothingPredictedIsUndefined) {
  const ReliabilityReport report = Reliability().report();
  EXPECT_EQ(report.count, 0U);
  EXPECT_TRUE(std::isnan(report.expected_error));
  EXPECT_TRUE(std::isnan(report.maximum_error));
  EXPECT_TRUE(std::isnan(report.brier));
  EXPECT_TRUE(std::isnan(report.bins.front().hit_rate));
}

TEST(Reliability, RefusesWhatIsNoProbability) {
  Reliability reliability;
  EXPECT_THROW(reliability.add(1.01, true), Error);
  EXPECT_THROW(reliability.add(-0.01, true), Error);
  EXPECT_THROW(reliability.add(std::numeric_limits<double>::quiet_NaN(), true), Error);
  EXPECT_THROW(Reliability(0), Error);
}

}  // namespace
}  // namespace mhe::metrics

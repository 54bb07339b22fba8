// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/experiments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/plan.h>

namespace mhe::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

const Seeds kTwoSeeds = {1, 2};

// Every row has a cell for each column, and every measured cell a value for each seed.
void expect_complete(const Report& report, std::size_t num_seeds) {
  EXPECT_FALSE(report.charts.empty());
  for (const auto& row : report.rows) {
    ASSERT_THAT(row, SizeIs(report.columns.size()));
    for (const Cell& cell : row) {
      if (const auto* measured = std::get_if<Measured>(&cell)) {
        EXPECT_THAT(measured->values, SizeIs(num_seeds));
      }
    }
  }
}

TEST(LabTheoremOne, HoldsForOutputsThatAreNotNegativeOnly) {
  const Context context;
  const Report report = theorem_1(context, {.draws = 300}, kTwoSeeds);
  expect_complete(report, 2);
  ASSERT_THAT(report.rows, SizeIs(4));
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(report.at(row, "not_negative").least(), 100);
    EXPECT_EQ(report.at(row, "probabilities").least(), 100);
    EXPECT_LT(report.at(row, "any_sign").most(), 60);
  }
  EXPECT_THAT(report.findings[0], HasSubstr("[6, -2, -3, 1], largest at label 0; the heads say 3"));
}

TEST(LabCorollaryOne, HoldsWithinHalfTheMargin) {
  const Context context;
  const Report report = corollary_1(context, {.draws = 50, .length = 8}, kTwoSeeds);
  expect_complete(report, 2);
  for (const std::size_t row : {0U, 1U}) {  // 0.5 and 0.99 of half the margin
    EXPECT_EQ(report.at(row, "agrees").least(), 100);
    EXPECT_EQ(report.at(row, "worst").least(), 100);
  }
  EXPECT_EQ(report.at(2, "worst").most(), 0);  // 1.01
  // The nearest product of uniform outputs; then all eight terms, which leave nothing.
  EXPECT_LT(report.at(6, "agrees").mean(), 50);
  EXPECT_EQ(report.at(9, "agrees").least(), 100);
  EXPECT_LT(report.at(9, "error").most(), 1e-9);
  EXPECT_THAT(report.findings[1], HasSubstr("and 0.0 at (0, 0). Its errors sum to 1.0"));
}

TEST(LabTheoremTwo, NoStartEndsAboveTheOptimum) {
  const Context context;
  const Report report =
      theorem_2(context, {.dim = 4, .classes = 4, .width = 2, .starts = 5}, kTwoSeeds);
  expect_complete(report, 2);
  ASSERT_THAT(report.rows, SizeIs(3));
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_LT(report.at(row, "worst_gap").most(), 1e-9);
    EXPECT_GT(report.at(row, "worst_gap").least(), -1e-9);  // the optimum is one
    EXPECT_LT(report.at(row, "curvature").most(), 0);
  }
  // Four singular values, at most two chosen: 1 + 4 + 6, one of them the optimum.
  EXPECT_EQ(report.at(0, "saddles").least(), 10);
}

TEST(LabTheoremThree, OneUnitNeedsABiasAndEnoughNumbers) {
  const Context context;
  const TheoremThreeOptions options = {
      .classes = 6, .samples = 3, .dims = {2, 18}, .noise = 0.2, .steps = 3'000};
  const Report report = theorem_3(context, options, kTwoSeeds);
  expect_complete(report, 2);
  EXPECT_EQ(report.at(1, "one_hot").least(), 100);
  EXPECT_EQ(report.at(1, "one_bias").least(), 100);
  EXPECT_LT(report.at(0, "one_bias").mean(), 95);
  for (const std::size_t row : {0U, 1U}) EXPECT_LT(report.at(row, "one").most(), 100.0 / 3 + 1e-9);
}

TEST(LabTheoremThree, DoesNotDependOnThreads) {
  const TheoremThreeOptions options = {
      .classes = 3, .samples = 2, .dims = {2}, .noise = 0.3, .steps = 100};
  const Context one(ContextOptions{.threads = 1});
  const Context three(ContextOptions{.threads = 3});
  const Report a = theorem_3(one, options, {7, 3});
  const Report b = theorem_3(three, options, {7, 3});
  for (const char* key : {"one_hot", "one_bias", "one", "two_bias", "two"}) {
    EXPECT_EQ(a.at(0, key).values, b.at(0, key).values);
  }
}

TEST(LabTheoremFour, EquationTwentyIsExceededButNotTheBoundBySpread) {
  const Context context;
  const Report report = theorem_4(context, {.draws = 300, .classes = 20}, kTwoSeeds);
  expect_complete(report, 2);
  ASSERT_THAT(report.rows, SizeIs(10));
  for (std::size_t row = 0; row < 10; ++row) EXPECT_EQ(report.at(row, "broken_spread").most(), 0);
  EXPECT_GT(report.at(9, "broken").least(), 10);
  EXPECT_THAT(report.findings[0], HasSubstr("E is 1.97 and Eq. 20 gives 1.00"));
  EXPECT_THAT(report.findings[1], HasSubstr("1.97 for that example"));
}

TEST(LabBottleneck, CrossEntropyLearnsWhatFrobeniusCannot) {
  const Context context;
  const BottleneckOptions options = {
      .samples = 8, .dim = 8, .widths = {1}, .temperatures = {0.5}, .rates = {}, .steps = 4'000};
  const Report report = bottleneck(context, options, kTwoSeeds);
  expect_complete(report, 2);
  ASSERT_THAT(report.rows, SizeIs(5));  // each loss without and with bias, and a temperature
  for (const std::size_t row : {0U, 1U, 2U}) EXPECT_EQ(report.at(row, "accuracy").most(), 25);
  EXPECT_NEAR(report.at(0, "final_loss").most(), 3.5, 1e-9);  // the optimum: (8 - 1) / 2
  for (const std::size_t row : {3U, 4U}) {
    EXPECT_EQ(report.at(row, "accuracy").least(), 100);
    EXPECT_EQ(report.at(row, "rank").most(), 2);
    EXPECT_EQ(report.at(row, "softmax_rank").least(), 8);
  }
  EXPECT_THAT(report.findings[0], HasSubstr("100 % are right"));
  EXPECT_THAT(report.findings[1], HasSubstr("have loss 3, the optimum, and 100 % right"));
  ASSERT_THAT(report.charts, SizeIs(2));
  EXPECT_EQ(report.charts[1].curves[0].points.back().y, 100);
}

HeadTaskOptions quick_heads() {
  return {.rows_per_label = 20, .dim = 8, .noise = 0.2, .hidden = 64, .epochs = 100};
}

TEST(LabErrorAccumulation, EveryHeadAddsToTheError) {
  const Context context;
  const Report report = error_accumulation(context, {.bits = 4, .task = quick_heads()}, kTwoSeeds);
  expect_complete(report, 2);
  ASSERT_THAT(report.rows, SizeIs(3));  // 1, 2 and 4 heads
  EXPECT_EQ(report.at(0, "approximation").most(), 0);
  EXPECT_GT(report.at(1, "approximation").least(), 10);
  EXPECT_GT(report.at(2, "approximation").mean(), report.at(1, "approximation").mean());
  EXPECT_LT(report.at(0, "product").most(), 10);
  for (const std::size_t row : {1U, 2U}) {
    // All heads are right where each of them is: no more often than the worst of them.
    EXPECT_GE(report.at(row, "product").mean(), report.at(row, "of_heads").mean());
  }
}

TEST(LabConfusion, TriesEveryShapeOnce) {
  const Context context;
  const Report report = confusion(context, {.labels = 12, .task = quick_heads()}, {1, 1});
  // One-hot; 6 x 2, 4 x 3, 3 x 4, 2 x 6; 3 x 2 x 2, 2 x 3 x 2, 2 x 2 x 3.
  ASSERT_THAT(report.rows, SizeIs(8));
  EXPECT_EQ(std::get<std::string>(report.rows[1][0]), "6 x 2");
  EXPECT_EQ(std::get<std::string>(report.rows[7][0]), "2 x 2 x 3");
  const std::uint32_t lengths[] = {6, 2};
  EXPECT_EQ(report.at(1, "degree_cascade").mean(), confusion_degree(HeadKind::kCascade, lengths));
  EXPECT_LT(report.at(0, "product").mean(), 20);
  EXPECT_THAT(report.findings, SizeIs(4));  // two kinds, of two heads and of three
}

TEST(Lab, RefusesOptionsOutOfRange) {
  const Context context;
  const Seeds one = {1, 1};
  EXPECT_THROW((void)theorem_1(context, {.draws = 0}, one), Error);
  EXPECT_THROW((void)corollary_1(context, {.length = 1}, one), Error);
  EXPECT_THROW((void)theorem_2(context, {.width = 8}, one), Error);
  EXPECT_THROW((void)theorem_2(context, {.dim = 40}, one), Error);
  EXPECT_THROW((void)theorem_3(context, {.dims = {}}, one), Error);
  EXPECT_THROW((void)theorem_4(context, {.classes = 1}, one), Error);
  EXPECT_THROW((void)bottleneck(context, {.widths = {0}}, one), Error);
  EXPECT_THROW((void)bottleneck(context, {.temperatures = {0}}, one), Error);
  EXPECT_THROW((void)error_accumulation(context, {.bits = 1}, one), Error);
  EXPECT_THROW((void)confusion(context, {.labels = 13}, one), Error);
  EXPECT_THROW((void)confusion(context, {.task = {.epochs = 0}}, one), Error);
}

TEST(LabReport, KnowsItsCells) {
  const Measured measured = {{3, 1, 2}};
  EXPECT_EQ(measured.mean(), 2);
  EXPECT_EQ(measured.least(), 1);
  EXPECT_EQ(measured.most(), 3);
  const Report report = {"t", {{"a", "A"}, {"b", "B"}}, {{"words", measured}}, {}, {}};
  EXPECT_EQ(report.at(0, "b").values, measured.values);
  EXPECT_THROW((void)report.at(0, "a"), Error);
  EXPECT_THROW((void)report.at(0, "c"), Error);
  EXPECT_THROW((void)report.at(1, "b"), Error);
}

}  // namespace
}  // namespace mhe::lab

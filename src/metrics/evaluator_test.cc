// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Small cases worked by hand; naive_evaluation_test.cc compares with an independent implementation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/context.h>
#include <mhe/error.h>
#include <mhe/metrics.h>

#include "metrics/frequency_bins.h"

namespace mhe::metrics {
namespace {

using ::testing::HasSubstr;

// Sums of a few terms of size 1 are off by a few units in the last place, 2e-16 each.
constexpr double kTolerance = 1e-12;

std::vector<LabelId> labels(const std::vector<std::uint32_t>& ids) {
  std::vector<LabelId> result;
  for (const std::uint32_t id : ids) result.push_back(LabelId{id});
  return result;
}

// Labels best first.
std::vector<ScoredLabel> ranked(const std::vector<std::uint32_t>& ids) {
  std::vector<ScoredLabel> result;
  float score = 1;
  for (const std::uint32_t id : ids) result.push_back({LabelId{id}, score /= 2});
  return result;
}

// Of labels 0, 1, ...; the last propensity is that of all others, too.
TrainingLabels known(std::vector<std::uint64_t> counts, std::vector<double> propensities = {1}) {
  return {[counts](LabelId label) -> std::uint64_t {
            return index_of(label) < counts.size() ? counts[index_of(label)] : 0;
          },
          [propensities](LabelId label) {
            return propensities[std::min<std::size_t>(index_of(label), propensities.size() - 1)];
          }};
}

// Two rows:
//   A  true 1 2      ranked 2 3 1      hits at ranks 1 and 3
//   B  true 0        ranked 1 0        a hit at rank 2, only two predictions
Evaluator two_rows(EvaluatorOptions options, TrainingLabels training = {}) {
  Evaluator evaluator(std::move(options), std::move(training));
  evaluator.add(labels({1, 2}), ranked({2, 3, 1}));
  evaluator.add(labels({0}), ranked({1, 0}));
  return evaluator;
}

double value(const Evaluator& evaluator, std::string_view name) {
  return evaluator.report(Context()).value(name);
}

TEST(Evaluator, PrecisionDividesByKEvenIfThereAreFewerPredictions) {
  const Evaluator evaluator = two_rows({.cutoffs = {1, 3}});
  EXPECT_NEAR(value(evaluator, "P@1"), (1.0 + 0.0) / 2, kTolerance);
  EXPECT_NEAR(value(evaluator, "P@3"), (2.0 / 3 + 1.0 / 3) / 2, kTolerance);
}

TEST(Evaluator, RecallDividesByTheTrueLabels) {
  const Evaluator evaluator = two_rows({.cutoffs = {1, 3}});
  EXPECT_NEAR(value(evaluator, "R@1"), (1.0 / 2 + 0.0) / 2, kTolerance);
  EXPECT_NEAR(value(evaluator, "R@3"), 1.0, kTolerance);
}

TEST(Evaluator, RPrecisionDividesByTheHitsThatAreReachable) {
  const Evaluator evaluator = two_rows({.cutoffs = {1, 2, 3}});
  EXPECT_NEAR(value(evaluator, "RP@1"), (1.0 / 1 + 0.0) / 2, kTolerance);
  EXPECT_NEAR(value(evaluator, "RP@2"), (1.0 / 2 + 1.0 / 1) / 2, kTolerance);
  EXPECT_NEAR(value(evaluator, "RP@3"), (2.0 / 2 + 1.0 / 1) / 2, kTolerance);
}

TEST(Evaluator, NdcgDiscountsByTheLogarithmOfTheRank) {
  const Evaluator evaluator = two_rows({.cutoffs = {3}});
  const double second = 1 / std::log2(3.0);  // discount of rank 2; rank 1 has 1, rank 3 has 1/2
  const double row_a = (1 + 0.5) / (1 + second);
  const double row_b = second / 1;
  EXPECT_NEAR(value(evaluator, "nDCG@3"), (row_a + row_b) / 2, kTolerance);
}

TEST(Evaluator, PropensityScoresAreRatiosOfSumsOverRows) {
  // Weights 1/p: label 0: 2, 1: 4, 2: 1.
  const Evaluator evaluator = two_rows({.cutoffs = {1, 3}}, known({}, {0.5, 0.25, 1}));
  // k = 1: A hits label 2 (1), best is label 1 (4); B misses (0), best 2.
  EXPECT_NEAR(value(evaluator, "PSP@1"), (1.0 + 0.0) / (4.0 + 2.0), kTolerance);
  EXPECT_NEAR(value(evaluator, "PSP@3"), (5.0 + 2.0) / (5.0 + 2.0), kTolerance);
  const double second = 1 / std::log2(3.0);
  // A: label 2 at rank 1, label 1 at rank 3; best label 1, then 2. B: label 0 at rank 2; best at 1.
  EXPECT_NEAR(value(evaluator, "PSnDCG@3"), (1.0 + 4 * 0.5 + 2 * second) / (4 + 1 * second + 2.0),
              kTolerance);
}

TEST(Evaluator, LabelsWithoutTrainingRowsAreUnseen) {
  Evaluator evaluator({.cutoffs = {1}}, known({3}, {0.5, 0.1}));
  evaluator.add(labels({0, 1}), ranked({0}));
  EXPECT_NEAR(value(evaluator, "PSP@1"), 2.0 / 10.0, kTolerance);
  EXPECT_EQ(evaluator.report(Context()).unseen_true_labels, 1);
}

TEST(Evaluator, PropensitiesFollowTheCounts) {
  const PropensityCurve curve(100);
  Evaluator evaluator({.cutoffs = {1}}, training_labels({3, 50}, curve));
  evaluator.add(labels({0, 1, 7}), ranked({1}));
  EXPECT_NEAR(value(evaluator, "PSP@1"), curve(0) / curve(50), kTolerance);
  EXPECT_EQ(evaluator.report(Context()).unseen_true_labels, 1);
}

TEST(Evaluator, MemoryFollowsTheLabelsThatOccur) {
  const auto run = [](std::uint32_t label) {
    Evaluator evaluator({.cutoffs = {1}}, {});
    evaluator.add(labels({label}), ranked({label, label + 1}));
    return evaluator.report(Context()).value("P@1");
  };
  const double small_id = run(1);  // also makes what is made once
  const std::uint64_t before = process_memory().resident;
  Evaluator evaluator({.cutoffs = {1}}, {});
  evaluator.add(labels({400'000'000}), ranked({400'000'000, 399'999'999}));
  // A number for each id would take 1.6 GB.
  EXPECT_LT(process_memory().resident, before + (std::uint64_t{64} << 20U));
  EXPECT_EQ(evaluator.report(Context()).value("P@1"), small_id);
}

TEST(Evaluator, F1CountsTheLabelsThatArePredicted) {
  const Evaluator evaluator = two_rows({.cutoffs = {1, 3}});
  // k = 3: predicted 2 3 1 and 1 0, true 1 2 and 0, hits 2 1 0: 2 * 3 / (5 + 3).
  EXPECT_NEAR(value(evaluator, "micro-F1@3"), 6.0 / 8, kTolerance);
  // Label 0: 2*1/(1+1) = 1; label 1: 2*1/(2+1) = 2/3; label 2: 1; label 3 is never true.
  EXPECT_NEAR(value(evaluator, "macro-F1@3"), (1 + 2.0 / 3 + 1) / 3, kTolerance);
  // k = 1: predicted 2 and 1. Label 2: 1; labels 0 and 1: 0.
  EXPECT_NEAR(value(evaluator, "micro-F1@1"), 2.0 / (2 + 3), kTolerance);
  EXPECT_NEAR(value(evaluator, "macro-F1@1"), 1.0 / 3, kTolerance);
}

TEST(Evaluator, CoverageCountsDistinctTrueLabelsThatWereFound) {
  const Evaluator evaluator = two_rows({.cutoffs = {1, 2, 3}});
  EXPECT_NEAR(value(evaluator, "coverage@1"), 1.0 / 3, kTolerance);  // label 2
  EXPECT_NEAR(value(evaluator, "coverage@2"), 2.0 / 3, kTolerance);  // and label 0
  EXPECT_NEAR(value(evaluator, "coverage@3"), 1.0, kTolerance);
}

TEST(Evaluator, AccuracyIsTheShareOfRowsWhoseBestLabelIsTrue) {
  const Evaluator evaluator = two_rows({.cutoffs = {5}});
  EXPECT_NEAR(value(evaluator, "accuracy"), 0.5, kTolerance);
}

TEST(Evaluator, ThresholdIsInclusiveAndNotLimitedByK) {
  // Scores are 1/2, 1/4, 1/8: at 1/4 row A predicts 2 3 and row B 1 0, hits 2 and 0.
  const Evaluator evaluator = two_rows({.cutoffs = {1}, .threshold = 0.25});
  EXPECT_NEAR(value(evaluator, "micro-F1@threshold"), 2.0 * 2 / (4 + 3), kTolerance);
  // Labels 0 and 2: 2*1/(1+1); label 1: predicted once, wrongly.
  EXPECT_NEAR(value(evaluator, "macro-F1@threshold"), 2.0 / 3, kTolerance);
}

TEST(Evaluator, OrdersByScoreAndEqualScoresBySmallerLabel) {
  Evaluator evaluator({.cutoffs = {1, 2}}, {});
  evaluator.add(labels({4}),
                std::vector<ScoredLabel>{{LabelId{1}, -3.0}, {LabelId{9}, 0.5}, {LabelId{4}, 0.5}});
  EXPECT_EQ(value(evaluator, "P@1"), 1.0);
}

TEST(Evaluator, KeepsTheGivenOrderWhenAsked) {
  Evaluator evaluator({.cutoffs = {1}, .ranking = Ranking::kAsGiven}, {});
  evaluator.add(labels({9}),
                std::vector<ScoredLabel>{{LabelId{9}, 0.5}, {LabelId{4}, 0.5}, {LabelId{1}, 7}});
  EXPECT_EQ(value(evaluator, "P@1"), 1.0);
}

TEST(Evaluator, InfiniteScoresAreOrdered) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Evaluator evaluator({.cutoffs = {1}}, {});
  evaluator.add(labels({2}),
                std::vector<ScoredLabel>{{LabelId{1}, -kInfinity}, {LabelId{2}, kInfinity}});
  EXPECT_EQ(value(evaluator, "P@1"), 1.0);
}

TEST(Evaluator, UnlabeledRowsScoreZeroUnlessSkipped) {
  for (const UnlabeledRows rule : {UnlabeledRows::kZero, UnlabeledRows::kSkip}) {
    Evaluator evaluator({.cutoffs = {1}, .unlabeled_rows = rule}, {});
    evaluator.add(labels({7}), ranked({7}));
    evaluator.add({}, ranked({7}));
    const MetricsReport report = evaluator.report(Context());
    const bool skip = rule == UnlabeledRows::kSkip;
    EXPECT_EQ(report.rows, 2);
    EXPECT_EQ(report.unlabeled_rows, 1);
    EXPECT_EQ(report.overall.rows, skip ? 1 : 2);
    for (const auto* name : {"P@1", "R@1", "RP@1", "nDCG@1", "accuracy"}) {
      EXPECT_EQ(report.value(name), skip ? 1.0 : 0.5) << name;
    }
    // There was nothing to find in the second row, so the best is what it was.
    EXPECT_EQ(report.value("PSP@1"), 1.0);
    // Its prediction is a false positive: 2*1/(2+1).
    EXPECT_NEAR(report.value("micro-F1@1"), skip ? 1.0 : 2.0 / 3, kTolerance);
  }
}

TEST(Evaluator, CountsRowsWithFewOrNoPredictions) {
  Evaluator evaluator({.cutoffs = {2}}, {});
  evaluator.add(labels({1}), {});
  evaluator.add(labels({1}), ranked({1}));
  evaluator.add(labels({1}), ranked({1, 2}));
  const MetricsReport report = evaluator.report(Context());
  EXPECT_EQ(report.unpredicted_rows, 1);
  EXPECT_EQ(report.short_rows, 2);
  EXPECT_NEAR(report.value("P@2"), (0 + 0.5 + 0.5) / 3, kTolerance);
}

TEST(Evaluator, NoRowsLeaveEverythingUndefined) {
  const MetricsReport report = Evaluator({.bootstrap_resamples = 10}, {}).report(Context());
  EXPECT_TRUE(std::isnan(report.value("P@1")));
  EXPECT_TRUE(std::isnan(report.value("macro-F1@5")));
  EXPECT_TRUE(report.overall.intervals.empty());
}

TEST(Evaluator, BinsRestrictTheTruthAndKeepTheRanking) {
  // Training counts: label 0: none, 1: 3, 2: 50. Bins: 0, 1-5, 6-20, 21-100, ...
  const Evaluator evaluator = two_rows(
      {.cutoffs = {1, 3}, .frequency_bounds = default_frequency_bounds()}, known({0, 3, 50, 7}));
  const MetricsReport report = evaluator.report(Context());
  ASSERT_EQ(report.bins.size(), 3);  // label 3 is only predicted, so its bin has nothing to report
  const auto value_in = [&](std::size_t bin, std::string_view name) {
    const auto found = std::find(report.names.begin(), report.names.end(), name);
    return report.bins[bin].values.at(static_cast<std::size_t>(found - report.names.begin()));
  };
  EXPECT_EQ(report.bins[0].name, "0");
  EXPECT_EQ(report.bins[0].rows, 1);
  EXPECT_EQ(report.bins[0].labels, 1);
  EXPECT_EQ(value_in(0, "R@1"), 0.0);
  EXPECT_EQ(value_in(0, "R@3"), 1.0);
  EXPECT_EQ(report.bins[1].name, "1-5");  // label 1: third in row A, a false positive in row B
  EXPECT_EQ(value_in(1, "R@3"), 1.0);
  EXPECT_EQ(value_in(1, "nDCG@3"), 0.5);
  EXPECT_NEAR(value_in(1, "macro-F1@3"), 2.0 / 3, kTolerance);
  EXPECT_EQ(value_in(1, "coverage@1"), 0.0);
  EXPECT_EQ(report.bins[2].name, "21-100");
  EXPECT_EQ(value_in(2, "PSP@1"), 1.0);
}

TEST(Evaluator, OneBinForAllLabelsRepeatsTheWhole) {
  const MetricsReport report =
      two_rows({.frequency_bounds = {1000}}, known({1, 2, 3})).report(Context());
  ASSERT_EQ(report.bins.size(), 1);
  EXPECT_EQ(report.bins[0].values, report.overall.values);
}

TEST(Evaluator, IntervalsOfIdenticalRowsHaveNoWidth) {
  Evaluator evaluator({.cutoffs = {2}, .bootstrap_resamples = 50}, {});
  for (int row = 0; row < 10; ++row) evaluator.add(labels({1, 5}), ranked({5, 6}));
  const MetricsReport report = evaluator.report(Context());
  ASSERT_EQ(report.overall.intervals.size(), report.names.size());
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    // Stored contributions are floats: 2^-24 of the value.
    EXPECT_NEAR(report.overall.intervals[i].low, report.overall.values[i], 1e-7);
    EXPECT_NEAR(report.overall.intervals[i].high, report.overall.values[i], 1e-7);
  }
}

TEST(Evaluator, IntervalOfAProportionIsAboutTheBinomialOne) {
  Evaluator evaluator({.cutoffs = {1}, .bootstrap_resamples = 2000}, {});
  for (std::uint32_t row = 0; row < 400; ++row) evaluator.add(labels({1}), ranked({row % 2}));
  const MetricsReport report = evaluator.report(Context());
  // Half of 400 rows are right: 0.5 +- 1.96 * sqrt(0.25 / 400) = 0.451 .. 0.549. The quantile of
  // 2000 resamples itself has a standard error of about 0.0015.
  EXPECT_NEAR(report.overall.intervals[0].low, 0.451, 0.008);
  EXPECT_NEAR(report.overall.intervals[0].high, 0.549, 0.008);
}

TEST(Evaluator, RefusesWhatItCannotScore) {
  const auto message_of = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  Evaluator evaluator({}, {});
  EXPECT_THAT(message_of([&] {
                evaluator.add(labels({1}), ranked({3, 1, 3}));
              }),
              HasSubstr("row 0: label 3 is predicted twice"));
  EXPECT_THAT(message_of([&] {
                evaluator.add(labels({2, 1}), ranked({3}));
              }),
              HasSubstr("ascending"));
  EXPECT_THAT(message_of([&] {
                evaluator.add(labels({1}), std::vector<ScoredLabel>{{LabelId{1}, std::nanf("")}});
              }),
              HasSubstr("not a number"));
  EXPECT_THAT(message_of([] { Evaluator({.cutoffs = {0}}, {}); }), HasSubstr("found 0"));
  EXPECT_THAT(message_of([] { Evaluator({.cutoffs = {}}, {}); }), HasSubstr("at least one"));
  EXPECT_THAT(message_of([] { two_rows({}, known({}, {0.0})); }), HasSubstr("(0, 1]"));
  EXPECT_THAT(message_of([] {
                Evaluator({.frequency_bounds = {5, 5}}, {});
              }),
              HasSubstr("must ascend"));
}

TEST(FrequencyBins, NamesAndLimits) {
  const FrequencyBins bins(default_frequency_bounds());
  ASSERT_EQ(bins.size(), 6);
  EXPECT_EQ(bins.name(bins.bin_of(0)), "0");
  EXPECT_EQ(bins.name(bins.bin_of(1)), "1-5");
  EXPECT_EQ(bins.name(bins.bin_of(5)), "1-5");
  EXPECT_EQ(bins.name(bins.bin_of(6)), "6-20");
  EXPECT_EQ(bins.name(bins.bin_of(1000)), "101-1000");
  EXPECT_EQ(bins.name(bins.bin_of(1001)), ">1000");
}

}  // namespace
}  // namespace mhe::metrics

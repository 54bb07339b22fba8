// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics/row_calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"

namespace mhe::metrics {
namespace {

double sum_of(std::span<const ScoredHit> row) {
  double sum = 0;
  for (const ScoredHit& label : row) sum += double{label.score};
  return sum;
}

std::vector<ScoredHit> with_scores(const std::vector<float>& scores) {
  std::vector<ScoredHit> row;
  for (const float score : scores) row.push_back({score, false});
  return row;
}

// Rows whose scores are a softmax of random logits; the true label is drawn from that of the logits
// times `exponent`, or is none of those in `rest` of the rows.
Ragged<ScoredHit> softmax_rows(std::size_t count, double exponent, double rest,
                               std::uint64_t seed) {
  RandomStream random(seed, "row-calibration-test");
  Ragged<ScoredHit> rows;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> logits;
    for (std::size_t label = 0; label < RowCalibration::kDepth; ++label) {
      logits.push_back(3 * random.uniform());
    }
    std::sort(logits.rbegin(), logits.rend());
    double sum = 0;
    double true_sum = 0;
    for (const double logit : logits) {
      sum += std::exp(logit);
      true_sum += std::exp(exponent * logit);
    }
    double place = random.uniform() - rest;
    bool is_found = place < 0;
    for (const double logit : logits) {
      place -= (1 - rest) * std::exp(exponent * logit) / true_sum;
      const bool hit = !is_found && place < 0;
      is_found = is_found || hit;
      rows.items.push_back({static_cast<float>(std::exp(logit) / sum), hit});
    }
    rows.end_row();
  }
  return rows;
}

TEST(RowCalibration, WithoutAnythingLeavesScoresAlone) {
  std::vector<ScoredHit> row = with_scores({3, 0.7F, -2});
  RowCalibration().apply(std::span(row));
  EXPECT_EQ(row[0].score, 3);
  EXPECT_EQ(row[2].score, -2);
  EXPECT_EQ(RowCalibration().depth(), 0U);
}

TEST(RowCalibration, OfOneLabelNeverSumsToMoreThanOne) {
  const Calibration curve({0, 1}, {0, 1});
  for (const auto& share : {std::optional<ScoreShare>(), std::optional(ScoreShare{1.7, 0.3}),
                            std::optional(ScoreShare{0.2, 0})}) {
    const auto calibration = RowCalibration::for_one_label(curve, share);
    RandomStream random(1, "row-calibration-test");
    for (const std::size_t size : {1U, 3U, 10U, 11U, 500U}) {
      std::vector<float> scores(size);
      for (float& score : scores) score = static_cast<float>(random.uniform());
      std::sort(scores.rbegin(), scores.rend());
      std::vector<ScoredHit> row = with_scores(scores);
      calibration.apply(std::span(row));
      EXPECT_LE(sum_of(row), 1 + 1e-5) << size;
      for (std::size_t i = 0; i < size; ++i) {
        EXPECT_GE(row[i].score, 0);
        if (i > 0) {
          EXPECT_LE(row[i].score, row[i - 1].score) << i;
        }
      }
    }
  }
}

// What is asked for beyond the best changes nothing for these.
TEST(RowCalibration, DoesNotDependOnHowManyLabelsFollow) {
  const auto calibration =
      RowCalibration::for_one_label(Calibration({0, 1}, {0, 1}), ScoreShare{1.2, 0.1});
  std::vector<float> scores;
  for (int i = 0; i < 60; ++i) scores.push_back(1.0F / static_cast<float>(i + 2));
  std::vector<ScoredHit> all = with_scores(scores);
  calibration.apply(std::span(all));
  for (const std::size_t size : {10U, 25U}) {
    std::vector<ScoredHit> first =
        with_scores({scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(size)});
    calibration.apply(std::span(first));
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(first[i].score, all[i].score);
  }
}

TEST(RowCalibration, KeepsProbabilitiesThatSumToLess) {
  const auto calibration = RowCalibration::for_one_label(Calibration({0, 1}, {0, 1}), std::nullopt);
  std::vector<ScoredHit> row = with_scores({0.6F, 0.2F, 0.1F});
  calibration.apply(std::span(row));
  EXPECT_EQ(row[0].score, 0.6F);
  EXPECT_EQ(row[1].score, 0.2F);
}

TEST(RowCalibration, StaysFiniteForScoresOfDamagedWeights) {
  const auto calibration =
      RowCalibration::for_one_label(Calibration({0, 1}, {0, 1}), ScoreShare{20, 0});
  for (const float score : {0.0F, 1e-38F, 1.0F, std::numeric_limits<float>::max()}) {
    std::vector<ScoredHit> row = with_scores({score, 0, -1});
    calibration.apply(std::span(row));
    for (const ScoredHit& label : row) EXPECT_TRUE(label.score >= 0 && label.score <= 1) << score;
  }
}

TEST(RowCalibration, RefusesSharesThatCannotBe) {
  for (const ScoreShare share : {ScoreShare{0, 1}, {-1, 1}, {1e9, 1}, {1, -1}, {1, 1e9}}) {
    EXPECT_THROW((void)RowCalibration::for_one_label({}, share), Error);
  }
  const double nan = std::nan("");
  EXPECT_THROW((void)RowCalibration::for_one_label({}, ScoreShare{nan, 1}), Error);
  EXPECT_THROW((void)RowCalibration::for_one_label({}, ScoreShare{1, nan}), Error);
}

TEST(FitRowCalibration, FindsTheExponentAndTheRest) {
  const RowCalibration found = fit_row_calibration(softmax_rows(6000, 2.5, 0.3, 2), true);
  ASSERT_TRUE(found.share().has_value());
  EXPECT_NEAR(found.share()->exponent, 2.5, 0.3);
}

TEST(FitRowCalibration, IsReliable) {
  const RowCalibration found = fit_row_calibration(softmax_rows(3000, 1.8, 0.2, 5), true);
  const Ragged<ScoredHit> others = softmax_rows(20'000, 1.8, 0.2, 6);
  std::vector<double> predicted(10);
  std::vector<double> hits(10);
  std::vector<double> count(10);
  for (std::size_t i = 0; i < others.rows(); ++i) {
    std::vector<ScoredHit> row(others[i].begin(), others[i].end());
    found.apply(std::span(row));
    for (const ScoredHit& label : row) {
      const auto bin = std::min<std::size_t>(9, static_cast<std::size_t>(10 * label.score));
      predicted[bin] += double{label.score};
      hits[bin] += label.hit ? 1 : 0;
      count[bin] += 1;
    }
  }
  for (std::size_t bin = 0; bin < 10; ++bin) {
    if (count[bin] < 500) continue;  // a standard error of 0.02 or less
    EXPECT_NEAR(predicted[bin] / count[bin], hits[bin] / count[bin], 0.08) << bin;
  }
}

TEST(FitRowCalibration, OfRowsWithSeveralLabelsIsACurve) {
  const Ragged<ScoredHit> rows = softmax_rows(500, 2, 0, 7);
  const RowCalibration found = fit_row_calibration(rows, false);
  EXPECT_FALSE(found.is_for_one_label());
  std::vector<ScoredHit> row(rows[0].begin(), rows[0].end());
  const Calibration curve = fit_calibration(rows.items);
  const float first = row[0].score;
  found.apply(std::span(row));
  EXPECT_EQ(row[0].score, curve(first));
}

TEST(FitRowCalibration, OfFewRowsStillSharesOut) {
  for (const std::size_t count : {0U, 1U, 5U, 40U, 101U}) {
    for (const double rest : {0.0, 1.0}) {  // never found is a case, too
      const RowCalibration found = fit_row_calibration(softmax_rows(count, 2, rest, 8), true);
      const Ragged<ScoredHit> others = softmax_rows(50, 2, rest, 9);
      for (std::size_t i = 0; i < others.rows(); ++i) {
        std::vector<ScoredHit> row(others[i].begin(), others[i].end());
        found.apply(std::span(row));
        EXPECT_LE(sum_of(row), 1 + 1e-5) << count;
        for (const ScoredHit& label : row) EXPECT_TRUE(std::isfinite(label.score));
      }
    }
  }
}

}  // namespace
}  // namespace mhe::metrics

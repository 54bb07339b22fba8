// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"

namespace mhe::metrics {
namespace {

constexpr std::uint64_t kSeed = 20260101;

// Samples with scores uniform in [low, high) and hits as often as `curve` says.
template <class Curve>
std::vector<ScoredHit> draw(std::size_t count, float low, float high, const Curve& curve) {
  RandomStream random(kSeed, "calibration_test", count);
  std::vector<ScoredHit> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const auto score = low + (high - low) * static_cast<float>(random.uniform());
    samples.push_back({score, random.uniform() < curve(score)});
  }
  return samples;
}

void expect_sound(const Calibration& calibration) {
  const auto scores = calibration.scores();
  const auto probabilities = calibration.probabilities();
  ASSERT_GE(scores.size(), 2U);
  ASSERT_LE(scores.size(), 64U);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_GT(probabilities[i], 0);
    EXPECT_LT(probabilities[i], 1);
    if (i > 0) {
      EXPECT_LT(scores[i - 1], scores[i]) << "seed " << kSeed;
      EXPECT_LT(probabilities[i - 1], probabilities[i]);
    }
  }
}

std::vector<float> copy(std::span<const float> values) {
  return {values.begin(), values.end()};
}

double square(double score) {
  return score * score;
}

TEST(FitCalibration, RecoversAKnownCurve) {
  const Calibration calibration = fit_calibration(draw(200'000, 0, 1, square));
  expect_sound(calibration);
  // Isotonic regression is off by about (n / curvature)^(-1/3), here 0.01 to 0.02 typically; 0.04
  // leaves room for the largest of a hundred places.
  for (float score = 0.01F; score < 1; score += 0.01F) {
    EXPECT_NEAR(calibration(score), square(score), 0.04) << score;
  }
}

TEST(FitCalibration, ErrorStaysBoundedForAnyNumberOfSamples) {
  for (const std::size_t count : {300U, 1'000U, 3'000U, 10'000U, 30'000U}) {
    const Calibration calibration = fit_calibration(draw(count, 0, 1, square));
    expect_sound(calibration);
    double error = 0;
    for (int i = 0; i < 100; ++i) {
      const float score = (static_cast<float>(i) + 0.5F) / 100;
      error += std::abs(calibration(score) - square(score)) / 100;
    }
    EXPECT_LT(error, std::pow(static_cast<double>(count), -1.0 / 3)) << count;  // the known rate
  }
}

TEST(FitCalibration, HandlesScoresOutsideTheUnitInterval) {
  const auto curve = [](double score) { return 1 / (1 + std::exp(-score)); };
  const Calibration calibration = fit_calibration(draw(100'000, -6, 6, curve));
  expect_sound(calibration);
  for (float score = -5; score <= 5; score += 0.5F) {
    EXPECT_NEAR(calibration(score), curve(score), 0.04) << score;
  }
  EXPECT_LT(calibration(-10), calibration(-6.5F));  // also beyond the samples
  EXPECT_GT(calibration(10), calibration(6.5F));
}

TEST(FitCalibration, KeepsTheOrderOfScores) {
  for (const std::size_t count : {10U, 500U, 50'000U}) {
    const Calibration calibration = fit_calibration(draw(count, 0, 1, square));
    float before = -1;
    for (int i = 0; i <= 1000; ++i) {
      const float p = calibration(static_cast<float>(i) / 1000);
      EXPECT_GT(p, before) << count << " samples, score " << i;
      before = p;
    }
  }
}

TEST(FitCalibration, DoesNotDependOnTheOrderOfSamples) {
  for (const std::size_t count : {40U, 5'000U}) {
    std::vector<ScoredHit> samples = draw(count, 0, 1, square);
    for (ScoredHit& sample : samples) sample.score = std::round(sample.score * 20) / 20;  // ties
    const Calibration forward = fit_calibration(samples);
    std::reverse(samples.begin(), samples.end());
    const Calibration backward = fit_calibration(samples);
    EXPECT_EQ(copy(forward.scores()), copy(backward.scores()));
    EXPECT_EQ(copy(forward.probabilities()), copy(backward.probabilities()));
  }
}

TEST(FitCalibration, TiedScoresGetTheirShareOfHits) {
  std::vector<ScoredHit> samples;
  for (int i = 0; i < 1000; ++i) {
    samples.push_back({0.25F, i % 10 == 0});
    samples.push_back({0.75F, i % 10 != 0});
  }
  const Calibration calibration = fit_calibration(samples);
  expect_sound(calibration);
  EXPECT_NEAR(calibration(0.25F), 0.1, 0.001);  // 100.5 / 1001
  EXPECT_NEAR(calibration(0.75F), 0.9, 0.001);
}

TEST(FitCalibration, ScoresAtTheVeryEndGetTheirShareOfHits) {
  // A score of 1 is common where scores saturate, and nothing lies beyond it.
  std::vector<ScoredHit> samples = draw(10'000, 0, 0.9F, square);
  for (int i = 0; i < 1000; ++i) samples.push_back({1.0F, i % 20 != 0});
  for (int i = 0; i < 10; ++i) samples.push_back({0.999F, i % 10 != 0});
  EXPECT_NEAR(fit_calibration(samples)(1), 0.95, 0.005);
}

TEST(FitCalibration, AFallingCurveBecomesNearlyFlat) {
  const Calibration calibration =
      fit_calibration(draw(10'000, 0, 1, [](double score) { return 0.6 - 0.4 * score; }));
  expect_sound(calibration);
  EXPECT_NEAR(calibration(0.5F), 0.4, 0.03);
  EXPECT_GT(calibration(0.1F), 0.2);
  EXPECT_LT(calibration(0.0F), 1e-6);  // nothing speaks for the label
  EXPECT_LT(calibration(1.0F), 0.6);
}

TEST(FitCalibration, WithoutSamplesLeavesScoresAlone) {
  const Calibration calibration = fit_calibration({});
  EXPECT_TRUE(calibration.scores().empty());
  EXPECT_EQ(calibration(0.3F), 0.3F);
}

TEST(FitCalibration, OneKindOfSampleOnlyGivesLowOrHighProbabilities) {
  std::vector<ScoredHit> misses = draw(1000, 0, 1, [](double) { return 0.0; });
  const Calibration low = fit_calibration(misses);
  expect_sound(low);
  EXPECT_LT(low(1), 0.02);
  const Calibration high = fit_calibration(draw(1000, 0, 1, [](double) { return 1.1; }));
  expect_sound(high);
  EXPECT_GT(high(0.05F), 0.98);
  EXPECT_LT(high(0), 1e-6);
}

TEST(FitCalibration, FewSamplesGiveASmoothCurve) {
  for (const std::vector<ScoredHit>& samples : {std::vector<ScoredHit>{{0.5F, true}},
                                                {{0.5F, false}},
                                                {{0.2F, false}, {0.9F, true}},
                                                {{0.2F, true}, {0.9F, false}},
                                                {{0.0F, false}},
                                                {{1.0F, true}, {1.0F, false}}}) {
    const Calibration calibration = fit_calibration(samples);
    expect_sound(calibration);
    EXPECT_GT(calibration(0.05F), 0.01);  // a sample or two prove nothing
    EXPECT_LT(calibration(1), 0.99);
  }
  const Calibration separable = fit_calibration(std::vector<ScoredHit>{
      {0.1F, false}, {0.2F, false}, {0.3F, false}, {0.7F, true}, {0.8F, true}, {0.9F, true}});
  EXPECT_LT(separable(0.1F), 0.35);
  EXPECT_GT(separable(0.9F), 0.65);
}

TEST(FitCalibration, FewHitsAmongSmallProbabilitiesKeepTheirScale) {
  // Softmaxes over many labels: all scores far below 1, few true. Hits as often as scores say.
  RandomStream random(kSeed, "small");
  std::vector<ScoredHit> samples;
  double expected = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto score = static_cast<float>(0.02 * std::pow(random.uniform(), 3));
    samples.push_back({score, random.uniform() < static_cast<double>(score)});
    expected += static_cast<double>(score);
  }
  const Calibration calibration = fit_calibration(samples);
  expect_sound(calibration);
  double said = 0;
  for (const ScoredHit& sample : samples) said += static_cast<double>(calibration(sample.score));
  // 20 hits are expected, give or take 4.5; the mean is what two parameters fit best.
  EXPECT_NEAR(said, expected, 12) << "seed " << kSeed;
  EXPECT_NEAR(calibration(0.018F), 0.018, 0.015);
  EXPECT_LT(calibration(1e-4F), 3e-3);
}

TEST(FitCalibration, ExtremeButFiniteScoresAreInOrder) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  std::vector<ScoredHit> samples;
  for (int i = 0; i < 50; ++i) {
    samples.push_back({-kLargest, false});
    samples.push_back({kLargest, true});
  }
  expect_sound(fit_calibration(samples));
  expect_sound(fit_calibration(std::span(samples).first(2)));
}

TEST(FitCalibration, RefusesScoresThatAreNotFinite) {
  const std::vector<ScoredHit> samples = {{std::numeric_limits<float>::quiet_NaN(), true}};
  EXPECT_THROW((void)fit_calibration(samples), Error);
}

}  // namespace
}  // namespace mhe::metrics

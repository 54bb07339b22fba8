// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "metrics/calibration.h"

namespace mhe::metrics {
namespace {

constexpr std::size_t kMaxKnots = 64;  // 512 bytes of a model; more would follow noise
constexpr std::uint64_t kMinOfEachKind = 30;
// Steps closer than this are joined: of a chi-square statistic with one degree of freedom, which
// chance alone makes larger once in ten times.
constexpr double kJoinBelow = 2.7;

// Consecutive samples, by score.
struct Pool {
  std::uint64_t count = 0;
  std::uint64_t hits = 0;
  double score_sum = 0;

  void absorb(const Pool& other) {
    count += other.count;
    hits += other.hits;
    score_sum += other.score_sum;
  }
  [[nodiscard]] double centre() const { return score_sum / static_cast<double>(count); }
  [[nodiscard]] double rate() const {
    return static_cast<double>(hits) / static_cast<double>(count);
  }
  // Half a hit and half a miss beforehand (Jeffreys), so that no finite sample says never or
  // always.
  [[nodiscard]] double probability() const {
    return (static_cast<double>(hits) + 0.5) / (static_cast<double>(count) + 1);
  }
};

struct Knot {
  double score = 0;
  double probability = 0;
};

// What a score of 0 is worth where scores are probabilities: labels that nothing speaks for must
// not add up to anything, however many there are.
constexpr double kNever = 1e-9;

// Where the curve begins and ends.
struct Range {
  double low = 0;
  double high = 0;
};

std::vector<ScoredHit> sorted(std::span<const ScoredHit> samples) {
  std::vector<ScoredHit> order(samples.begin(), samples.end());
  for (const ScoredHit& sample : order) {
    require(std::isfinite(sample.score), "a calibration needs finite scores, got {}", sample.score);
  }
  // Also by hit, so that sums do not depend on the order the samples came in.
  std::sort(order.begin(), order.end(), [](const ScoredHit& a, const ScoredHit& b) {
    return a.score != b.score ? a.score < b.score : a.hit < b.hit;
  });
  return order;
}

bool are_probabilities(std::span<const ScoredHit> order) {
  return order.front().score >= 0 && order.back().score <= 1;
}

Range range_of(std::span<const ScoredHit> order) {
  if (are_probabilities(order)) return {0, 1};
  const double low = order.front().score;
  const double high = order.back().score;
  const double beyond = high > low ? high - low : 1;
  return {low - beyond, high + beyond};
}

// Pool adjacent violators: the rates of the pools ascend strictly; equal scores share a pool.
std::vector<Pool> pool_violators(std::span<const ScoredHit> order) {
  std::vector<Pool> pools;
  for (std::size_t begin = 0; begin < order.size();) {
    Pool next;
    const float score = order[begin].score;
    for (; begin < order.size() && order[begin].score == score; ++begin) {
      next.absorb({1, order[begin].hit ? 1U : 0U, static_cast<double>(score)});
    }
    while (!pools.empty() && pools.back().rate() >= next.rate()) {
      Pool merged = pools.back();
      merged.absorb(next);
      next = merged;
      pools.pop_back();
    }
    pools.push_back(next);
  }
  return pools;
}

// How surely two neighbours differ; below 0 if they cannot both be knots.
double difference(const Pool& low, const Pool& high) {
  if (low.probability() >= high.probability() ||
      static_cast<float>(low.centre()) >= static_cast<float>(high.centre())) {
    return -1;
  }
  Pool both = low;
  both.absorb(high);
  const double variance = both.probability() * (1 - both.probability());
  const double gap = high.rate() - low.rate();
  const double weight = static_cast<double>(low.count) * static_cast<double>(high.count) /
                        static_cast<double>(both.count);
  return weight * gap * gap / variance;
}

// Joins the least different neighbours until all differ and there are few enough. The number of
// pools grows like the cube root of the samples, so trying all pairs each time is cheap.
void join_alike(std::vector<Pool>& pools) {
  std::vector<double> differences;
  for (std::size_t i = 0; i + 1 < pools.size(); ++i) {
    differences.push_back(difference(pools[i], pools[i + 1]));
  }
  while (!differences.empty()) {
    const auto least = std::min_element(differences.begin(), differences.end());
    const bool few = pools.size() + 2 <= kMaxKnots;  // two more for the ends
    if (few && *least >= kJoinBelow) return;
    const auto i = static_cast<std::size_t>(least - differences.begin());
    pools[i].absorb(pools[i + 1]);
    pools.erase(pools.begin() + static_cast<std::ptrdiff_t>(i + 1));
    differences.erase(least);
    if (i > 0) differences[i - 1] = difference(pools[i - 1], pools[i]);
    if (i < differences.size()) differences[i] = difference(pools[i], pools[i + 1]);
  }
}

double scale_odds(double probability, double factor) {
  const double odds = factor * probability / (1 - probability);
  return odds / (1 + odds);
}

// How the odds change from an outermost centre to an end of the range: as little as keeps scores
// there apart without saying much about them. Up to twofold, and less where the end is nearer than
// the next centre inside, as many samples may lie at the very end.
double stretch(double distance, double to_next) {
  return 1 + std::min(1.0, distance / to_next);
}

std::vector<Knot> isotonic_knots(std::span<const ScoredHit> order) {
  std::vector<Pool> pools = pool_violators(order);
  join_alike(pools);
  const Range range = range_of(order);
  std::vector<Knot> knots;
  knots.reserve(pools.size() + 2);
  for (const Pool& pool : pools) knots.push_back({pool.centre(), pool.probability()});
  const Knot first = knots.front();
  const Knot last = knots.back();
  const bool several = knots.size() > 1;
  if (range.high > last.score) {
    const double to_next = last.score - (several ? knots[knots.size() - 2].score : range.low);
    const double factor = stretch(range.high - last.score, to_next);
    knots.push_back({range.high, scale_odds(last.probability, factor)});
  }
  // Below all samples nothing is known but that scores that are probabilities begin at 0.
  const bool begins_at_0 = are_probabilities(order);
  const double low = begins_at_0 ? static_cast<double>(order.front().score) : range.low;
  if (low < first.score) {
    const double to_next = (several ? knots[1].score : range.high) - first.score;
    const double factor = 1 / stretch(first.score - low, to_next);
    knots.insert(knots.begin(), {low, scale_odds(first.probability, factor)});
  }
  if (begins_at_0 && low > 0) knots.insert(knots.begin(), {0, kNever});
  return knots;
}

// p = 1 / (1 + exp(-(slope x + intercept))), x the score in standard deviations from the mean; of
// scores that are probabilities, their log-odds, as these of many labels span powers of ten.
struct Logistic {
  double slope = 1;
  double intercept = 0;
  double mean = 0;
  double deviation = 1;
  bool of_odds = false;
  // Where x ends, a deviation beyond the samples: farther out, they say no more.
  double least = -1;
  double most = 1;

  [[nodiscard]] double place(double score) const {
    if (!of_odds) return score;
    constexpr double kNearest = 1e-7;  // to 0 and 1
    const double p = std::clamp(score, kNearest, 1 - kNearest);
    return std::log(p / (1 - p));
  }
  [[nodiscard]] double standardized(double score) const {
    return std::clamp((place(score) - mean) / deviation, least, most);
  }
  [[nodiscard]] double operator()(double score) const {
    return 1 / (1 + std::exp(-(slope * standardized(score) + intercept)));
  }
};

void standardize(std::span<const ScoredHit> order, Logistic& curve) {
  const auto count = static_cast<double>(order.size());
  double sum = 0;
  for (const ScoredHit& sample : order) sum += curve.place(sample.score);
  curve.mean = sum / count;
  double squares = 0;
  for (const ScoredHit& sample : order) {
    const double distance = curve.place(sample.score) - curve.mean;
    squares += distance * distance;
  }
  curve.deviation = squares > 0 ? std::sqrt(squares / count) : 1;
  curve.least = (curve.place(order.front().score) - curve.mean) / curve.deviation - 1;
  curve.most = (curve.place(order.back().score) - curve.mean) / curve.deviation + 1;
}

// One Newton step on the log-likelihood of Platt's softened targets, with the slope drawn to 1 as
// by one more sample: separable samples would otherwise make it endless.
double newton_step(std::span<const ScoredHit> order, double target_hit, double target_miss,
                   Logistic& curve) {
  double gradient_slope = 1 - curve.slope;
  double gradient_intercept = 0;
  double h_slope = 1;
  double h_mixed = 0;
  double h_intercept = 1e-9;  // never 0, so that the determinant is not
  for (const ScoredHit& sample : order) {
    const double x = curve.standardized(sample.score);
    const double p = curve(sample.score);
    const double error = (sample.hit ? target_hit : target_miss) - p;
    const double weight = p * (1 - p);
    gradient_slope += error * x;
    gradient_intercept += error;
    h_slope += weight * x * x;
    h_mixed += weight * x;
    h_intercept += weight;
  }
  const double determinant = h_slope * h_intercept - h_mixed * h_mixed;
  // At most 1 in log-odds a step: far from the optimum the quadratic model overshoots.
  const auto bounded = [](double step) { return std::clamp(step, -1.0, 1.0); };
  const double slope_step =
      bounded((h_intercept * gradient_slope - h_mixed * gradient_intercept) / determinant);
  const double intercept_step =
      bounded((h_slope * gradient_intercept - h_mixed * gradient_slope) / determinant);
  curve.slope += slope_step;
  curve.intercept += intercept_step;
  return std::abs(slope_step) + std::abs(intercept_step);
}

Logistic fit_logistic(std::span<const ScoredHit> order, std::uint64_t hits) {
  const auto num_hits = static_cast<double>(hits);
  const double num_misses = static_cast<double>(order.size()) - num_hits;
  Logistic curve;
  curve.of_odds = are_probabilities(order);
  standardize(order, curve);
  constexpr int kMaxSteps = 100;  // a few suffice; the bound is for the strangest samples
  for (int step = 0; step < kMaxSteps; ++step) {
    if (newton_step(order, (num_hits + 1) / (num_hits + 2), 1 / (num_misses + 2), curve) < 1e-9) {
      break;
    }
  }
  constexpr double kMinSlope = 0.05;  // falling curves are chance: higher scores are never worse
  curve.slope = std::max(curve.slope, kMinSlope);
  return curve;
}

// Half of them where the samples lie, which may be a small part of the range, half evenly over it.
std::vector<double> places_of_knots(std::span<const ScoredHit> order) {
  constexpr std::size_t kIntervals = 31;
  const Range range = range_of(order);
  std::vector<double> places;
  for (std::size_t i = 0; i <= kIntervals; ++i) {
    const double share = static_cast<double>(i) / kIntervals;
    places.push_back(range.low + share * (range.high - range.low));
    places.push_back(order[i * (order.size() - 1) / kIntervals].score);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

std::vector<Knot> logistic_knots(std::span<const ScoredHit> order, std::uint64_t hits) {
  constexpr double kLeast = 1e-6;  // what two knots differ by at least, so that floats do
  const Logistic curve = fit_logistic(order, hits);
  const std::vector<double> places = places_of_knots(order);
  std::vector<Knot> knots;
  for (const double score : places) {
    // Far out the curve is 0 or 1 in floats; stay away from both.
    const double floor = kLeast * static_cast<double>(knots.size() + 1);
    const double scale = 1 - kLeast * static_cast<double>(places.size() + 1);
    knots.push_back({score, floor + scale * curve(score)});
  }
  if (are_probabilities(order) && order.front().score > 0) knots.front().probability = kNever;
  return knots;
}

}  // namespace

Calibration fit_calibration(std::span<const ScoredHit> samples) {
  if (samples.empty()) return {};
  const std::vector<ScoredHit> order = sorted(samples);
  const auto hits = static_cast<std::uint64_t>(
      std::count_if(order.begin(), order.end(), [](const ScoredHit& s) { return s.hit; }));
  const bool scarce = std::min<std::uint64_t>(hits, order.size() - hits) < kMinOfEachKind;
  const std::vector<Knot> knots = scarce ? logistic_knots(order, hits) : isotonic_knots(order);
  std::vector<float> scores;
  std::vector<float> probabilities;
  for (const Knot& knot : knots) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    const auto score = static_cast<float>(std::clamp(knot.score, -kLargest, kLargest));
    if (!scores.empty() && scores.back() >= score) continue;  // closer than floats tell apart
    scores.push_back(score);
    probabilities.push_back(static_cast<float>(knot.probability));
  }
  return {std::move(scores), std::move(probabilities)};
}

}  // namespace mhe::metrics

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Every metric once more, slowly, with sets and maps, straight from the definitions in
// docs/metrics.md; shares no code with the evaluator.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mhe/metrics.h>

#include "metrics/frequency_bins.h"

namespace mhe::metrics {
namespace {

using Label = std::uint32_t;

struct NaiveRow {
  std::set<Label> truth;
  std::vector<std::pair<double, Label>> predictions;  // score, label

  // Labels best first.
  [[nodiscard]] std::vector<Label> ranking() const {
    std::set<std::pair<double, Label>> order;  // negated score, label
    for (const auto& [score, label] : predictions) order.emplace(-score, label);
    std::vector<Label> result;
    for (const auto& entry : order) result.push_back(entry.second);
    return result;
  }
  [[nodiscard]] std::set<Label> top(std::size_t k) const {
    const std::vector<Label> all = ranking();
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(k, all.size()))};
  }
  [[nodiscard]] std::set<Label> above(double threshold) const {
    std::set<Label> result;
    for (const auto& [score, label] : predictions) {
      if (score >= threshold) result.insert(label);
    }
    return result;
  }
};

struct NaiveCase {
  std::vector<NaiveRow> rows;
  std::vector<std::uint64_t> counts;
  std::vector<double> propensities;
  double threshold = 0;
};

using Values = std::map<std::string, double>;

double dcg_at(const NaiveRow& row, std::size_t k, const std::map<Label, double>& gain) {
  const std::vector<Label> ranking = row.ranking();
  double sum = 0;
  for (std::size_t i = 0; i < std::min(k, ranking.size()); ++i) {
    if (gain.count(ranking[i]) == 1) {
      sum += gain.at(ranking[i]) / std::log2(static_cast<double>(i) + 2);
    }
  }
  return sum;
}

// The best that any ranking of these gains can reach: their DCG, and their plain sum.
std::pair<double, double> best_at(std::size_t k, const std::map<Label, double>& gain) {
  std::multiset<double> gains;
  for (const auto& entry : gain) gains.insert(entry.second);
  double dcg = 0;
  double sum = 0;
  std::size_t place = 0;
  for (auto it = gains.rbegin(); it != gains.rend() && place < k; ++it, ++place) {
    dcg += *it / std::log2(static_cast<double>(place) + 2);
    sum += *it;
  }
  return {dcg, sum};
}

std::set<Label> intersection(const std::set<Label>& a, const std::set<Label>& b) {
  std::set<Label> both;
  for (const Label label : a) {
    if (b.count(label) == 1) both.insert(label);
  }
  return both;
}

void add_rank_metrics(const NaiveCase& input, std::size_t k, const std::vector<NaiveRow>& rows,
                      Values& values) {
  double precision = 0;
  double recall = 0;
  double r_precision = 0;
  double ndcg = 0;
  double weighted = 0;
  double best_weighted = 0;
  double weighted_dcg = 0;
  double best_weighted_dcg = 0;
  for (const NaiveRow& row : rows) {
    if (row.truth.empty()) continue;
    std::map<Label, double> one;
    std::map<Label, double> weight;
    for (const Label label : row.truth) {
      one[label] = 1;
      weight[label] = 1 / input.propensities[label];
    }
    const auto hits = intersection(row.truth, row.top(k));
    const auto num_hits = static_cast<double>(hits.size());
    precision += num_hits / static_cast<double>(k);
    recall += num_hits / static_cast<double>(row.truth.size());
    r_precision += num_hits / static_cast<double>(std::min(k, row.truth.size()));
    ndcg += dcg_at(row, k, one) / best_at(k, one).first;
    for (const Label label : hits) weighted += weight[label];
    weighted_dcg += dcg_at(row, k, weight);
    best_weighted += best_at(k, weight).second;
    best_weighted_dcg += best_at(k, weight).first;
  }
  const auto num_rows = static_cast<double>(rows.size());
  values[fmt::format("P@{}", k)] = precision / num_rows;
  values[fmt::format("R@{}", k)] = recall / num_rows;
  values[fmt::format("RP@{}", k)] = r_precision / num_rows;
  values[fmt::format("nDCG@{}", k)] = ndcg / num_rows;
  values[fmt::format("PSP@{}", k)] = weighted / best_weighted;
  values[fmt::format("PSnDCG@{}", k)] = weighted_dcg / best_weighted_dcg;
}

// F1 and coverage of the labels that `belongs` accepts; `predict` gives a row's predicted set.
template <class Belongs, class Predict>
void add_label_metrics(const NaiveCase& input, const std::string& suffix, const Belongs& belongs,
                       const Predict& predict, Values& values) {
  std::map<Label, double> hits;
  std::map<Label, double> predicted;
  std::map<Label, double> truth;
  for (const NaiveRow& row : input.rows) {
    const std::set<Label> labels = predict(row);
    for (const Label label : labels) predicted[label] += belongs(label) ? 1 : 0;
    for (const Label label : row.truth) truth[label] += belongs(label) ? 1 : 0;
    for (const Label label : intersection(row.truth, labels)) hits[label] += belongs(label) ? 1 : 0;
  }
  double all_hits = 0;
  double all_predicted = 0;
  double all_true = 0;
  double f1 = 0;
  double num_labels = 0;
  double covered = 0;
  for (const auto& entry : predicted) all_predicted += entry.second;
  for (const auto& [label, count] : truth) {
    if (count == 0) continue;
    all_true += count;
    all_hits += hits[label];
    num_labels += 1;
    covered += hits[label] > 0 ? 1 : 0;
    const double p = predicted[label] > 0 ? hits[label] / predicted[label] : 0;
    const double r = hits[label] / count;
    f1 += p + r > 0 ? 2 * p * r / (p + r) : 0;
  }
  const double p = all_predicted > 0 ? all_hits / all_predicted : 0;
  const double r = all_hits / all_true;
  values["micro-F1@" + suffix] = p + r > 0 ? 2 * p * r / (p + r) : 0;
  values["macro-F1@" + suffix] = f1 / num_labels;
  values["coverage@" + suffix] = covered / num_labels;
}

template <class Belongs>
Values naive_values(const NaiveCase& input, const std::vector<std::size_t>& cutoffs,
                    const std::vector<NaiveRow>& rows, const Belongs& belongs) {
  Values values;
  for (const std::size_t k : cutoffs) {
    add_rank_metrics(input, k, rows, values);
    const auto predict = [&](const NaiveRow& row) { return row.top(k); };
    add_label_metrics(input, std::to_string(k), belongs, predict, values);
  }
  const auto predict = [&](const NaiveRow& row) { return row.above(input.threshold); };
  add_label_metrics(input, "threshold", belongs, predict, values);
  double right = 0;
  for (const NaiveRow& row : rows) right += intersection(row.truth, row.top(1)).empty() ? 0 : 1;
  values["accuracy"] = right / static_cast<double>(rows.size());
  return values;
}

NaiveCase random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  NaiveCase input;
  const Label num_labels = static_cast<Label>(1 + below(40));
  for (Label label = 0; label < num_labels; ++label) {
    input.counts.push_back(below(3) == 0 ? 0 : below(2000) / (1 + below(200)));
    input.propensities.push_back((1 + static_cast<double>(below(100))) / 100);
  }
  // Few distinct scores, so that ties are common.
  const auto score = [&] { return static_cast<double>(below(6)) / 4 - 0.5; };
  const std::size_t num_rows = 1 + below(700);
  for (std::size_t i = 0; i < num_rows; ++i) {
    NaiveRow row;
    const std::size_t num_true = below(6);
    for (std::size_t n = 0; n < num_true; ++n) {
      row.truth.insert(static_cast<Label>(below(num_labels)));
    }
    std::vector<Label> order(num_labels);
    for (Label label = 0; label < num_labels; ++label) order[label] = label;
    std::shuffle(order.begin(), order.end(), random);
    order.resize(std::min<std::size_t>(order.size(), below(12)));
    for (const Label label : order) row.predictions.emplace_back(score(), label);
    input.rows.push_back(row);
  }
  input.rows.front().truth.insert(0);  // so that there is something to find
  input.threshold = score();
  return input;
}

struct Batch {
  Ragged<LabelId> truth;
  Ragged<ScoredLabel> predictions;
};

Batch batch_of(const NaiveCase& input) {
  Batch batch;
  for (const NaiveRow& row : input.rows) {
    for (const Label label : row.truth) batch.truth.items.push_back(LabelId{label});
    batch.truth.end_row();
    for (const auto& [score, label] : row.predictions) {
      batch.predictions.items.push_back({LabelId{label}, static_cast<float>(score)});
    }
    batch.predictions.end_row();
  }
  return batch;
}

EvaluatorOptions options_of(const NaiveCase& input, std::uint64_t resamples) {
  return {.cutoffs = {1, 2, 3, 7},
          .threshold = input.threshold,
          .frequency_bounds = default_frequency_bounds(),
          .bootstrap_resamples = resamples};
}

TrainingLabels known(const NaiveCase& input) {
  return {[counts = input.counts](LabelId label) { return counts.at(index_of(label)); },
          [all = input.propensities](LabelId label) { return all.at(index_of(label)); }};
}

MetricsReport evaluate(const NaiveCase& input, std::size_t threads, std::uint64_t resamples = 0) {
  Evaluator evaluator(options_of(input, resamples), known(input));
  const Context context(ContextOptions{.threads = threads, .seed = 7});
  const Batch batch = batch_of(input);
  evaluator.add(context, batch.truth, batch.predictions);
  return evaluator.report(context);
}

// Sums of at most 700 rows, each term off by a few units in the last place of a number below 100:
// 700 * 100 * 2e-16 is about 1e-11.
constexpr double kTolerance = 1e-10;

void expect_equal(const GroupReport& group, const MetricsReport& report, const Values& expected) {
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    const double naive = expected.at(report.names[i]);
    if (std::isnan(naive) && std::isnan(group.values[i])) continue;
    EXPECT_NEAR(group.values[i], naive, kTolerance) << group.name << " " << report.names[i];
  }
}

void compare(std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("MHE_TEST_SEED={}", seed));
  const NaiveCase input = random_case(seed);
  const std::vector<std::size_t> cutoffs = {1, 2, 3, 7};
  const MetricsReport report = evaluate(input, 2);
  expect_equal(report.overall, report,
               naive_values(input, cutoffs, input.rows, [](Label) { return true; }));
  const FrequencyBins bins(default_frequency_bounds());
  for (const GroupReport& bin : report.bins) {
    const auto belongs = [&](Label label) {
      return bins.name(bins.bin_of(input.counts[label])) == bin.name;
    };
    std::vector<NaiveRow> rows;  // truth cut down to the bin, where something is left
    for (NaiveRow row : input.rows) {
      std::erase_if(row.truth, [&](Label label) { return !belongs(label); });
      if (!row.truth.empty()) rows.push_back(row);
    }
    EXPECT_EQ(bin.rows, rows.size());
    expect_equal(bin, report, naive_values(input, cutoffs, rows, belongs));
  }
}

TEST(NaiveEvaluation, AgreesOnRandomCases) {
  const char* given = std::getenv("MHE_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): one thread
  if (given != nullptr) return compare(std::strtoull(given, nullptr, 10));
  for (std::uint64_t seed = 1; seed <= 60; ++seed) compare(seed);
}

bool same(const GroupReport& a, const GroupReport& b) {
  const auto bits = [](const auto& items) {
    return std::string_view(reinterpret_cast<const char*>(items.data()),
                            items.size() * sizeof(items[0]));
  };
  return a.name == b.name && a.rows == b.rows && bits(a.values) == bits(b.values) &&
         bits(a.intervals) == bits(b.intervals);
}

TEST(NaiveEvaluation, ThreadsChangeNoBit) {
  const NaiveCase input = random_case(99);
  const MetricsReport one = evaluate(input, 1, 40);
  const MetricsReport four = evaluate(input, 4, 40);
  EXPECT_TRUE(same(one.overall, four.overall));
  ASSERT_EQ(one.bins.size(), four.bins.size());
  for (std::size_t i = 0; i < one.bins.size(); ++i) EXPECT_TRUE(same(one.bins[i], four.bins[i]));
}

TEST(NaiveEvaluation, BatchesChangeNoBit) {
  const NaiveCase input = random_case(5);
  Evaluator row_by_row(options_of(input, 20), known(input));
  const Batch batch = batch_of(input);
  for (std::size_t row = 0; row < batch.truth.rows(); ++row) {
    row_by_row.add(batch.truth[row], batch.predictions[row]);
  }
  const Context context(ContextOptions{.threads = 1, .seed = 7});
  EXPECT_TRUE(same(row_by_row.report(context).overall, evaluate(input, 3, 20).overall));
}

TEST(NaiveEvaluation, IntervalsHoldTheValue) {
  const NaiveCase input = random_case(3);
  const MetricsReport report = evaluate(input, 2, 400);
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    EXPECT_LE(report.overall.intervals[i].low, report.overall.values[i]) << report.names[i];
    EXPECT_GE(report.overall.intervals[i].high, report.overall.values[i]) << report.names[i];
  }
}

}  // namespace
}  // namespace mhe::metrics

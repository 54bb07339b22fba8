// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics/summary.h"

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "base/check.h"

namespace mhe::metrics {
namespace {

enum class Metric { kP, kR, kRp, kNdcg, kPsp, kPsNdcg, kMicroF1, kMacroF1, kCoverage };

struct NamedMetric {
  Metric metric;
  std::string_view name;
};
constexpr std::array<NamedMetric, 9> kCutoffMetrics = {{{Metric::kP, "P"},
                                                        {Metric::kR, "R"},
                                                        {Metric::kRp, "RP"},
                                                        {Metric::kNdcg, "nDCG"},
                                                        {Metric::kPsp, "PSP"},
                                                        {Metric::kPsNdcg, "PSnDCG"},
                                                        {Metric::kMicroF1, "micro-F1"},
                                                        {Metric::kMacroF1, "macro-F1"},
                                                        {Metric::kCoverage, "coverage"}}};

double ratio(double numerator, double denominator) noexcept {
  return denominator > 0 ? numerator / denominator : std::numeric_limits<double>::quiet_NaN();
}

// Sums over the labels of a group at one cutoff, or at the threshold.
struct LabelSums {
  double hits = 0;
  double predicted = 0;
  double num_true = 0;
  double f1 = 0;           // sum over true labels
  double covered = 0;      // true labels hit at least once
  double true_labels = 0;  // distinct

  void add(double label_hits, double label_predicted, double label_true) noexcept {
    hits += label_hits;
    predicted += label_predicted;
    num_true += label_true;
    if (label_true == 0) return;
    true_labels += 1;
    f1 += 2 * label_hits / (label_predicted + label_true);
    covered += label_hits > 0 ? 1 : 0;
  }
  [[nodiscard]] double micro_f1() const noexcept { return ratio(2 * hits, predicted + num_true); }
  [[nodiscard]] double macro_f1() const noexcept { return ratio(f1, true_labels); }
  [[nodiscard]] double coverage() const noexcept { return ratio(covered, true_labels); }
};

// [group][cutoff], the threshold last.
std::vector<LabelSums> sum_over_labels(const RowScorer& scorer, const LabelCounts& counts,
                                       std::span<const std::uint8_t> groups) {
  const std::size_t num_cutoffs = scorer.options().cutoffs.size();
  const std::size_t stride = num_cutoffs + 1;
  std::vector<LabelSums> sums(scorer.num_groups() * stride);
  for (std::size_t place = 0; place < counts.size(); ++place) {
    const double num_true = counts.num_true(place);
    double hits = 0;
    double predicted = 0;
    const auto add = [&](std::size_t cutoff) {
      sums[cutoff].add(hits, predicted, num_true);
      if (groups[place] != 0) sums[groups[place] * stride + cutoff].add(hits, predicted, num_true);
    };
    for (std::size_t cutoff = 0; cutoff < num_cutoffs; ++cutoff) {
      hits += counts.hits(place, cutoff);
      predicted += counts.predicted(place, cutoff);
      add(cutoff);
    }
    hits = counts.hits(place, num_cutoffs);
    predicted = counts.predicted(place, num_cutoffs);
    add(num_cutoffs);
  }
  return sums;
}

// The sums of one group.
struct GroupSums {
  std::span<const double> rows;
  std::span<const LabelSums> labels;
  SumLayout layout;
};

double value_at(Metric metric, const GroupSums& group, std::size_t cutoff) {
  const auto sum = [&](CutoffSum which) { return group.rows[group.layout.at(which, cutoff)]; };
  const double rows = group.rows[group.layout.rows()];
  switch (metric) {
    case Metric::kP:
      return ratio(sum(CutoffSum::kPrecision), rows);
    case Metric::kR:
      return ratio(sum(CutoffSum::kRecall), rows);
    case Metric::kRp:
      return ratio(sum(CutoffSum::kRPrecision), rows);
    case Metric::kNdcg:
      return ratio(sum(CutoffSum::kNdcg), rows);
    case Metric::kPsp:
      return ratio(sum(CutoffSum::kWeightedHits), sum(CutoffSum::kBestWeightedHits));
    case Metric::kPsNdcg:
      return ratio(sum(CutoffSum::kWeightedDcg), sum(CutoffSum::kBestWeightedDcg));
    case Metric::kMicroF1:
      return group.labels[cutoff].micro_f1();
    case Metric::kMacroF1:
      return group.labels[cutoff].macro_f1();
    case Metric::kCoverage:
      return group.labels[cutoff].coverage();
  }
  MHE_ASSERT(false);
  return 0;
}

void append_values(const EvaluatorOptions& options, const GroupSums& group,
                   std::vector<double>& values) {
  for (const NamedMetric& metric : kCutoffMetrics) {
    for (std::size_t cutoff = 0; cutoff < options.cutoffs.size(); ++cutoff) {
      values.push_back(value_at(metric.metric, group, cutoff));
    }
  }
  values.push_back(ratio(group.rows[group.layout.accuracy()], group.rows[group.layout.rows()]));
  if (options.threshold) {
    values.push_back(group.labels.back().micro_f1());
    values.push_back(group.labels.back().macro_f1());
  }
}

}  // namespace

std::vector<std::string> value_names(const EvaluatorOptions& options) {
  std::vector<std::string> names;
  for (const NamedMetric& metric : kCutoffMetrics) {
    for (const std::size_t k : options.cutoffs) {
      names.push_back(fmt::format("{}@{}", metric.name, k));
    }
  }
  names.emplace_back("accuracy");
  if (options.threshold) {
    names.emplace_back("micro-F1@threshold");
    names.emplace_back("macro-F1@threshold");
  }
  return names;
}

std::vector<double> summarize(const RowScorer& scorer, std::span<const double> sums,
                              const LabelCounts& counts, std::span<const std::uint8_t> groups) {
  const SumLayout layout = scorer.layout();
  const std::size_t stride = layout.num_cutoffs + 1;
  const std::vector<LabelSums> label_sums = sum_over_labels(scorer, counts, groups);
  std::vector<double> values;
  for (std::size_t group = 0; group < scorer.num_groups(); ++group) {
    append_values(scorer.options(),
                  {sums.subspan(group * layout.size(), layout.size()),
                   std::span(label_sums).subspan(group * stride, stride), layout},
                  values);
  }
  return values;
}

}  // namespace mhe::metrics

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "base/parallel.h"
#include "base/random.h"
#include "metrics/label_counts.h"
#include "metrics/summary.h"

namespace mhe::metrics {
namespace {

// A thread's working memory; every resample starts it afresh.
struct Resample {
  explicit Resample(std::size_t num_cutoffs) : counts(num_cutoffs) {}
  std::vector<std::uint32_t> times;  // how often each row was drawn
  std::vector<double> sums;
  LabelCounts counts;
};

void draw(RandomStream stream, std::size_t num_rows, std::vector<std::uint32_t>& times) {
  times.assign(num_rows, 0);
  for (std::size_t i = 0; i < num_rows; ++i) ++times[stream.below(num_rows)];
}

void add_up(const StoredRows& rows, std::size_t layout_size, Resample& resample) {
  for (std::size_t row = 0; row < resample.times.size(); ++row) {
    const std::uint32_t times = resample.times[row];
    if (times == 0) continue;
    resample.counts.add(rows.events[row], times);
    for (std::size_t i = rows.groups.offsets[row]; i < rows.groups.offsets[row + 1]; ++i) {
      const float* from = rows.sums.data() + i * layout_size;
      double* to = resample.sums.data() + rows.groups.items[i] * layout_size;
      for (std::size_t s = 0; s < layout_size; ++s) to[s] += times * double{from[s]};
    }
  }
}

// The q-quantile of sorted values, by linear interpolation between neighbours.
double quantile(std::span<const double> sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - std::floor(position)) * (sorted[above] - sorted[below]);
}

// A resample in which a value is undefined (no row of a rare bin was drawn) says nothing about it.
Interval percentiles(std::vector<double> resampled) {
  if (resampled.empty()) {
    constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
    return {kUndefined, kUndefined};
  }
  std::sort(resampled.begin(), resampled.end());
  return {quantile(resampled, 0.025), quantile(resampled, 0.975)};
}

// Moves the interval so that the mean of the resamples falls on the value, within [0, 1].
Interval centred(const Interval& interval, std::span<const double> resampled, double value) {
  const double mean = std::accumulate(resampled.begin(), resampled.end(), 0.0) /
                      static_cast<double>(resampled.size());
  const auto move = [&](double end) { return std::clamp(end + value - mean, 0.0, 1.0); };
  return resampled.empty() ? interval : Interval{move(interval.low), move(interval.high)};
}

}  // namespace

void StoredRows::append(const RowContributions& rows) {
  events.append(rows.events);
  groups.append(rows.groups);
  // No reserve() here: asking for the exact size each time would copy all rows for every block.
  for (const double sum : rows.sums) sums.push_back(static_cast<float>(sum));
}

std::vector<Interval> bootstrap(const Context& context, const RowScorer& scorer,
                                const StoredRows& rows, std::span<const std::uint8_t> groups,
                                std::span<const double> values) {
  const std::size_t num_rows = rows.events.rows();
  const std::size_t layout_size = scorer.layout().size();
  const auto num_resamples = static_cast<std::size_t>(scorer.options().bootstrap_resamples);
  if (num_rows == 0 || num_resamples == 0) return {};
  std::vector<Resample> scratch(context.threads(), Resample(scorer.layout().num_cutoffs));
  std::vector<std::vector<double>> resamples(num_resamples);
  parallel_blocks(context, num_resamples, 1, [&](const Block& block) {
    Resample& resample = scratch[block.worker];
    draw(RandomStream(context.seed(), "metrics.bootstrap", block.index), num_rows, resample.times);
    resample.sums.assign(scorer.num_groups() * layout_size, 0.0);
    resample.counts.resize(groups.size());
    resample.counts.reset();
    add_up(rows, layout_size, resample);
    resamples[block.index] = summarize(scorer, resample.sums, resample.counts, groups);
  });
  const std::vector<std::string> names = value_names(scorer.options());
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<double> column;
    for (const std::vector<double>& resample : resamples) {
      if (!std::isnan(resample[i])) column.push_back(resample[i]);
    }
    const Interval interval = percentiles(column);
    const bool shifted = counts_labels_once(names[i % names.size()]);
    intervals.push_back(shifted ? centred(interval, column, values[i]) : interval);
  }
  return intervals;
}

}  // namespace mhe::metrics

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/held_out.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "predict/member_search.h"

namespace mhe::train {
namespace {

// The k best labels of every row and whether they are true, best first.
Ragged<metrics::ScoredHit> rank_rows(const Context& context, const model::Scorers& scorers,
                                     const Examples& rows, std::size_t k) {
  constexpr std::size_t kGrain = 64;  // rows a block: some milliseconds
  constexpr std::size_t kAnyLabel = std::numeric_limits<std::uint32_t>::max();
  std::vector<Ragged<metrics::ScoredHit>> parts((rows.rows() + kGrain - 1) / kGrain);
  std::vector<std::unique_ptr<predict::MemberSearch>> searches(context.threads());
  parallel_blocks(context, rows.rows(), kGrain, [&](const Block& block) {
    auto& search = searches[block.worker];
    if (!search) search = std::make_unique<predict::MemberSearch>(scorers, kAnyLabel);
    for (std::size_t row = block.begin; row < block.end; ++row) {
      const auto truth = rows.labels[row];
      for (const predict::Prediction& found : search->search(rows.features[row], k)) {
        const bool hit = std::find(truth.begin(), truth.end(), found.label) != truth.end();
        parts[block.index].items.push_back({found.probability, hit});
      }
      parts[block.index].end_row();
    }
  });
  Ragged<metrics::ScoredHit> all;
  for (const auto& part : parts) all.append(part);
  return all;
}

double precision_at(const Ragged<metrics::ScoredHit>& ranked, std::size_t k) {
  std::size_t hits = 0;
  for (std::size_t row = 0; row < ranked.rows(); ++row) {
    const auto best = ranked[row].first(std::min(k, ranked[row].size()));
    hits += static_cast<std::size_t>(
        std::count_if(best.begin(), best.end(), [](const auto& label) { return label.hit; }));
  }
  return 100.0 * static_cast<double>(hits) / static_cast<double>(k * ranked.rows());
}

}  // namespace

Precision measure_precision(const Context& context, const model::Scorers& scorers,
                            const Examples& rows) {
  const Ragged<metrics::ScoredHit> ranked = rank_rows(context, scorers, rows, 5);
  return {precision_at(ranked, 1), precision_at(ranked, 3), precision_at(ranked, 5)};
}

std::vector<double> discounted_gains(const Context& context, const model::Scorers& scorers,
                                     const Examples& rows) {
  constexpr std::size_t kCutoff = 5;
  const Ragged<metrics::ScoredHit> ranked = rank_rows(context, scorers, rows, kCutoff);
  std::vector<double> gains(rows.rows(), 0);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    double gain = 0;
    double ideal = 0;
    for (std::size_t i = 0; i < kCutoff; ++i) {
      const double discount = 1 / std::log2(static_cast<double>(i) + 2);
      if (i < ranked[row].size() && ranked[row][i].hit) gain += discount;
      if (i < rows.labels[row].size()) ideal += discount;
    }
    if (ideal > 0) gains[row] = 100 * gain / ideal;
  }
  return gains;
}

double mean_gain(std::span<const double> gains) {
  return std::accumulate(gains.begin(), gains.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, gains.size()));
}

bool is_better(std::span<const double> trial, std::span<const double> best,
               double standard_errors) {
  constexpr double kNoticed = 0.05;  // points
  const auto rows = static_cast<double>(trial.size());
  const double gain = mean_gain(trial) - mean_gain(best);
  double squares = 0;
  for (std::size_t row = 0; row < trial.size(); ++row) {
    const double deviation = trial[row] - best[row] - gain;
    squares += deviation * deviation;
  }
  const double standard_error = std::sqrt(squares) / std::max(1.0, rows);
  return gain > std::max(kNoticed, standard_errors * standard_error);
}

float choose_parent_power(const Context& context, const model::LinearMember& member,
                          const Examples& rows) {
  constexpr std::size_t kEnough = 100;  // fewer rows would choose by chance
  constexpr double kMargin = 0.2;       // points that a power must gain over the one at hand
  constexpr float kPowers[] = {0.1F, 0.2F, 0.4F, 0.7F, 1.0F};
  float best = member.search.parent_power;
  if (rows.rows() < kEnough || member.levels.size() < 2) return best;
  model::LinearMember trial = member;
  const auto quality_with = [&](float power) {
    trial.search.parent_power = power;
    return mean_gain(discounted_gains(context, {{&trial, 1}}, rows));
  };
  double best_quality = quality_with(best) + kMargin;
  for (const float power : kPowers) {
    const double quality = quality_with(power);
    if (quality <= best_quality) continue;
    best_quality = quality;
    best = power;
  }
  return best;
}

metrics::Calibration calibrate(const Context& context, const model::Scorers& scorers,
                               const Examples& rows) {
  constexpr std::size_t kDepth = 10;  // labels a row: beyond the true ones, so that misses show too
  return metrics::fit_calibration(rank_rows(context, scorers, rows, kDepth).items);
}

}  // namespace mhe::train

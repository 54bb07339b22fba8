// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/validation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "predict/ranker.h"

namespace mhe::train {
namespace {

constexpr std::size_t kAnyLabel = std::numeric_limits<std::uint32_t>::max();

double precision_at(const RankedRows& ranked, std::size_t k) {
  std::size_t hits = 0;
  for (std::size_t row = 0; row < ranked.rows(); ++row) {
    const auto best = ranked[row].first(std::min(k, ranked[row].size()));
    hits += static_cast<std::size_t>(
        std::count_if(best.begin(), best.end(), [](const auto& label) { return label.hit; }));
  }
  return 100.0 * static_cast<double>(hits) / static_cast<double>(k * ranked.rows());
}

// The power under which `quality_with(power)` is best: `own` unless another is clearly better.
template <class QualityWith>
float choose_power(float own, const QualityWith& quality_with) {
  constexpr double kMargin = 0.2;  // points that a power must gain over the one at hand
  constexpr float kPowers[] = {0.1F, 0.2F, 0.4F, 0.7F, 1.0F};
  float best = own;
  double best_quality = quality_with(own) + kMargin;
  for (const float power : kPowers) {
    const double quality = quality_with(power);
    if (quality <= best_quality) continue;
    best_quality = quality;
    best = power;
  }
  return best;
}

// Ranks labels for rows by their numbers.
class RowRanker {
 public:
  RowRanker(model::MemberSpan members, const Examples& rows)
      : ranker_(members, kAnyLabel), rows_(rows) {}

  [[nodiscard]] std::span<const ScoredLabel> rank(std::size_t row, std::size_t k) {
    if (rows_.are_dense()) {
      dense_ = rows_.dense[row];
      ranker_.begin(DenseRows{{&dense_, 1}});
    } else {
      sparse_ = rows_.features[row];
      ranker_.begin(SparseRows{{&sparse_, 1}});
    }
    return ranker_.rank(0, {.labels = k});
  }

  // Of the row that was ranked last.
  [[nodiscard]] std::vector<LabelId> best_set() { return ranker_.best_sets(1).front().labels; }

 private:
  predict::Ranker ranker_;
  const Examples& rows_;
  SparseRow sparse_;
  DenseRow dense_;
};

constexpr std::size_t kGrain = 64;            // rows a block: some milliseconds
constexpr std::size_t kEnoughToChoose = 100;  // fewer rows would choose by chance

}  // namespace

RankingTask ranking_of(model::MemberSpan members, const Examples& rows) {
  std::vector<const model::Member*> all(members.begin(), members.end());
  return {rows.labels, [all = std::move(all), &rows]() -> RowSearch {
            // shared: a std::function is copied
            auto ranker = std::make_shared<RowRanker>(all, rows);
            return [ranker](std::size_t row, std::size_t k) { return ranker->rank(row, k); };
          }};
}

RankingTask ranking_of(const model::Member& member, const Examples& rows) {
  const model::Member* const one = &member;
  return ranking_of(std::span(&one, 1), rows);
}

Ragged<ScoredLabel> rank_labels(const Context& context, const RankingTask& validation,
                                std::size_t k) {
  const std::size_t rows = validation.truth.rows();
  std::vector<Ragged<ScoredLabel>> parts((rows + kGrain - 1) / kGrain);
  std::vector<RowSearch> searches(context.threads());
  parallel_blocks(context, rows, kGrain, [&](const Block& block) {
    RowSearch& search = searches[block.worker];
    if (!search) search = validation.make_search();
    for (std::size_t row = block.begin; row < block.end; ++row) {
      parts[block.index].push_row(search(row, k));
    }
  });
  Ragged<ScoredLabel> all;
  for (const auto& part : parts) all.append(part);
  return all;
}

Ragged<LabelId> best_sets(const Context& context, model::MemberSpan members, const Examples& rows) {
  std::vector<Ragged<LabelId>> parts((rows.rows() + kGrain - 1) / kGrain);
  std::vector<std::unique_ptr<RowRanker>> rankers(context.threads());
  parallel_blocks(context, rows.rows(), kGrain, [&](const Block& block) {
    auto& ranker = rankers[block.worker];
    if (!ranker) ranker = std::make_unique<RowRanker>(members, rows);
    for (std::size_t row = block.begin; row < block.end; ++row) {
      (void)ranker->rank(row, 1);
      parts[block.index].push_row(ranker->best_set());
    }
  });
  Ragged<LabelId> all;
  for (const auto& part : parts) all.append(part);
  return all;
}

RankedRows mark_hits(const Ragged<ScoredLabel>& ranked, const Ragged<LabelId>& truth) {
  RankedRows hits;
  hits.offsets = ranked.offsets;
  hits.items.reserve(ranked.items.size());
  for (std::size_t row = 0; row < ranked.rows(); ++row) {
    const auto labels = truth[row];
    for (const ScoredLabel& found : ranked[row]) {
      const bool hit = std::find(labels.begin(), labels.end(), found.label) != labels.end();
      hits.items.push_back({found.score, hit});
    }
  }
  return hits;
}

RankedRows rank_rows(const Context& context, const RankingTask& validation, std::size_t k) {
  return mark_hits(rank_labels(context, validation, k), validation.truth);
}

Precision precision_of(const RankedRows& ranked) {
  return {precision_at(ranked, 1), precision_at(ranked, 3), precision_at(ranked, 5)};
}

std::vector<double> discounted_gains(const Context& context, const RankingTask& validation) {
  constexpr std::size_t kCutoff = 5;
  const RankedRows ranked = rank_rows(context, validation, kCutoff);
  std::vector<double> gains(validation.truth.rows(), 0);
  for (std::size_t row = 0; row < gains.size(); ++row) {
    double gain = 0;
    double ideal = 0;
    for (std::size_t i = 0; i < kCutoff; ++i) {
      const double discount = 1 / std::log2(static_cast<double>(i) + 2);
      if (i < ranked[row].size() && ranked[row][i].hit) gain += discount;
      if (i < validation.truth[row].size()) ideal += discount;
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

double mean_gain(const Context& context, const RankingTask& validation) {
  return mean_gain(discounted_gains(context, validation));
}

float choose_parent_weight(const Context& context, const model::Cascade& cascade,
                           const Examples& rows) {
  if (rows.rows() < kEnoughToChoose || cascade.levels.size() < 2) {
    return cascade.search.parent_power;
  }
  return choose_power(cascade.search.parent_power, [&](float power) {
    model::Cascade trial = cascade;
    trial.search.parent_power = power;
    return mean_gain(context, ranking_of(model::LinearMember({trial}), rows));
  });
}

float choose_parent_weight(const Context& context, const model::DenseParts& parts,
                           const Examples& rows) {
  const auto* cascade = parts.head.as<heads::CascadeSpec>();
  if (cascade == nullptr) return heads::CascadeSpec().parent_power;  // there is no path
  if (rows.rows() < kEnoughToChoose) return cascade->parent_power;
  return choose_power(cascade->parent_power, [&](float power) {
    model::DenseParts trial = parts;
    trial.head.as<heads::CascadeSpec>()->parent_power = power;
    return mean_gain(context, ranking_of(model::DenseMember(trial), rows));
  });
}

}  // namespace mhe::train

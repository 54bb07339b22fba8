// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mhe/plan.h>

#include "base/check.h"
#include "lab/experiments.h"
#include "lab/head_task.h"

namespace mhe::lab {
namespace {

constexpr std::size_t kMostFactors = 3;  // heads that are tried at most

// Every way to write `rest` as a product of two or three numbers above 1, in every order.
void factorise(std::uint32_t rest, std::vector<std::uint32_t>& so_far,
               std::vector<std::vector<std::uint32_t>>& out) {
  for (std::uint32_t factor = 2; factor < rest; ++factor) {
    if (rest % factor != 0) continue;
    so_far.push_back(factor);
    out.push_back(so_far);
    out.back().push_back(rest / factor);
    if (so_far.size() + 2 <= kMostFactors) factorise(rest / factor, so_far, out);
    so_far.pop_back();
  }
}

std::vector<std::vector<std::uint32_t>> factorisations(std::uint32_t labels) {
  std::vector<std::vector<std::uint32_t>> all;
  std::vector<std::uint32_t> so_far;
  factorise(labels, so_far, all);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() < b.size() : a > b;
  });
  return all;
}

// Places of values in ascending order from 0, equal ones the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    double below = 0;
    double equal = 0;
    for (const double other : values) {
      below += other < value ? 1 : 0;
      equal += other == value ? 1 : 0;
    }
    ranks.push_back(below + (equal - 1) / 2);
  }
  return ranks;
}

// Spearman's: 1 where one grows with the other, 0 where they have nothing to do with each other.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks_of(a);
  const std::vector<double> y = ranks_of(b);
  const double middle = static_cast<double>(x.size() - 1) / 2;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

// A kind of head and what was measured of it, shape by shape.
struct ConfusedKind {
  HeadKind kind;
  const char* title;
  std::vector<double> degrees = {};
  std::vector<double> outputs = {};  // sum of the lengths
  std::vector<double> errors = {};
};

// Among the shapes that have this many heads.
void describe_correlation(const ConfusedKind& kind,
                          const std::vector<std::vector<std::uint32_t>>& shapes, std::size_t heads,
                          Report& report) {
  std::array<std::vector<double>, 3> chosen;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].size() != heads) continue;
    chosen[0].push_back(kind.degrees[i]);
    chosen[1].push_back(kind.outputs[i]);
    chosen[2].push_back(kind.errors[i]);
  }
  if (chosen[0].size() < 3) return;
  report.findings.push_back(fmt::format(
      "{} of {} heads, {} shapes: rank correlation of the error with D {:.2f}, with the number of "
      "outputs {:.2f}.",
      kind.title, heads, chosen[0].size(), rank_correlation(chosen[0], chosen[2]),
      rank_correlation(chosen[1], chosen[2])));
}

}  // namespace

Report confusion(const Context& context, const ConfusionOptions& options, const Seeds& seeds) {
  const std::vector<std::vector<std::uint32_t>> shapes = factorisations(options.labels);
  require(!shapes.empty(), "labels must be a product of numbers above 1, not {}", options.labels);
  require(options.labels <= 10'000, "labels must be at most 10000, not {}", options.labels);
  require(options.candidates > 0, "candidates must be above 0");
  check(options.task);
  Report report;
  report.title = fmt::format("Eq. 15: {} labels, heads of all lengths", options.labels);
  report.columns = {{"lengths", "lengths"},
                    {"degree_product", "D of product", 3, Style::kSignificant},
                    {"product", "error of product, %", 1},
                    {"degree_cascade", "D of cascade", 3, Style::kSignificant},
                    {"cascade", "error of cascade, %", 1}};
  std::vector<HeadTask> tasks;
  Measured one_hot;
  for (std::uint64_t i = 0; i < seeds.count; ++i) {
    tasks.push_back(make_head_task(options.task, options.labels, seeds.first + i));
    const Context seeded = context.with_seed(seeds.first + i);
    one_hot.values.push_back(
        train_heads(seeded, tasks[i], options.task, {HeadKind::kOneHot, {}}).error);
  }
  std::array kinds = {ConfusedKind{HeadKind::kProduct, "Product"},
                      ConfusedKind{HeadKind::kCascade, "Cascade"}};
  report.rows.push_back({"one-hot", "-", one_hot, "-", one_hot});
  for (const auto& lengths : shapes) {
    context.report({"training heads", report.rows.size() - 1, shapes.size(), "shapes"});
    std::vector<Cell> cells = {describe_lengths(lengths)};
    for (ConfusedKind& kind : kinds) {
      Measured error;
      for (std::uint64_t i = 0; i < seeds.count; ++i) {
        const Context seeded = context.with_seed(seeds.first + i);
        const std::uint32_t candidates = std::min(options.candidates, lengths[0]);
        error.values.push_back(
            train_heads(seeded, tasks[i], options.task, {kind.kind, lengths, candidates}).error);
      }
      kind.degrees.push_back(confusion_degree(kind.kind, lengths));
      kind.outputs.push_back(std::accumulate(lengths.begin(), lengths.end(), 0.0));
      kind.errors.push_back(error.mean());
      cells.emplace_back(Measured{{kind.degrees.back()}});
      cells.emplace_back(std::move(error));
    }
    report.rows.push_back(std::move(cells));
  }
  Chart chart = {.title = fmt::format("Confusion degree and error, {} labels", options.labels),
                 .x_unit = "confusion degree D",
                 .y_unit = "error, %",
                 .x_scale = Scale::kLogarithmic};
  for (const ConfusedKind& kind : kinds) {
    for (std::size_t heads = 2; heads <= kMostFactors; ++heads) {
      describe_correlation(kind, shapes, heads, report);
    }
    Curve curve = {kind.title, {}};
    for (std::size_t i = 0; i < kind.degrees.size(); ++i) {
      curve.points.push_back({kind.degrees[i], kind.errors[i]});
    }
    std::sort(curve.points.begin(), curve.points.end(),
              [](const Point& a, const Point& b) { return a.x < b.x; });
    chart.curves.push_back(std::move(curve));
  }
  report.charts = {std::move(chart)};
  return report;
}

}  // namespace mhe::lab

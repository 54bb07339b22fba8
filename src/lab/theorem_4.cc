// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/random.h"
#include "lab/experiments.h"
#include "lab/gaussian.h"
#include "lab/kronecker.h"

namespace mhe::lab {
namespace {

// The error of one sample and what it is compared with.
struct SoftmaxError {
  double error = 0;      // E: sum_j |softmax(O)_j - softmax(O*)_j|
  double of_paper = 0;   // Eq. 20: sum_j |e^Delta_j - 1|
  double of_spread = 0;  // 2 tanh((max Delta - min Delta) / 4)
};

// Probabilities change by factors whose odds differ by e^(max - min) at most. Labels whose factor
// is above 1 against the others make two labels of it, and the difference of two probabilities
// whose odds have the ratio e^D is at most tanh(D / 4).
SoftmaxError compare(const Outputs& solution, const Outputs& delta) {
  Outputs moved = solution;
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += delta[i];
  const Outputs before = softmax(solution);
  const Outputs after = softmax(moved);
  SoftmaxError result;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    result.error += std::fabs(after[i] - before[i]);
    result.of_paper += std::fabs(std::expm1(delta[i]));
  }
  const auto [least, most] = std::minmax_element(delta.begin(), delta.end());
  result.of_spread = 2 * std::tanh((*most - *least) / 4);
  return result;
}

// How the outputs of a solution are changed.
enum class Change : std::uint8_t {
  kAll,   // each output by a random number
  kBest,  // the best output is lowered
};

Outputs draw_change(RandomStream& random, const Outputs& solution, Change change, double size) {
  Outputs delta(solution.size(), 0.0);
  if (change == Change::kBest) {
    delta[argmax(solution)] = -size;
    return delta;
  }
  for (double& value : delta) value = size * gaussian(random);
  return delta;
}

struct Counted {
  double error = 0;     // mean E
  double of_paper = 0;  // mean bound
  double broken = 0;    // share of draws with E above Eq. 20, in per cent
  double spread = 0;    // the same for the bound by the spread
};

Counted draw_errors(RandomStream& random, const TheoremFourOptions& options, Change change,
                    double size) {
  constexpr double kOutputs = 3;       // deviation of the solution's outputs
  constexpr double kRounding = 1e-12;  // of sums of probabilities
  Counted counted;
  for (std::size_t draw = 0; draw < options.draws; ++draw) {
    Outputs solution(options.classes);
    for (double& output : solution) output = kOutputs * gaussian(random);
    const SoftmaxError one = compare(solution, draw_change(random, solution, change, size));
    counted.error += one.error;
    counted.of_paper += one.of_paper;
    counted.broken += one.error > one.of_paper + kRounding ? 100 : 0;
    counted.spread += one.error > one.of_spread + kRounding ? 100 : 0;
  }
  const auto draws = static_cast<double>(options.draws);
  return {counted.error / draws, counted.of_paper / draws, counted.broken / draws,
          counted.spread / draws};
}

}  // namespace

Report theorem_4(const Context& context, const TheoremFourOptions& options, const Seeds& seeds) {
  require(options.draws > 0, "draws must be above 0");
  require(options.classes >= 2, "classes must be at least 2");
  Report report;
  report.title = "Theorem 4: how far two softmaxes are apart";
  report.columns = {{"change", "Delta"},
                    {"size", "its size"},
                    {"error", "error E", 3},
                    {"bound", "Eq. 20", 3, Style::kSignificant},
                    {"broken", "E above Eq. 20, %", 1},
                    {"broken_spread", "E above 2 tanh(D / 4), %", 1}};
  Chart chart = {.title = "Error of a softmax and the bound of Eq. 20, best output lowered",
                 .x_unit = "lowered by",
                 .y_unit = "",
                 .x_scale = Scale::kLogarithmic,
                 .curves = {{"error E"}, {"Eq. 20"}}};
  for (const Change change : {Change::kAll, Change::kBest}) {
    for (const double size : {0.01, 0.1, 1.0, 3.0, 10.0}) {
      std::array<Measured, 4> found;
      for (std::uint64_t i = 0; i < seeds.count; ++i) {
        context.check_stop();
        RandomStream random(seeds.first + i, "lab.theorem-4", report.rows.size());
        const Counted counted = draw_errors(random, options, change, size);
        found[0].values.push_back(counted.error);
        found[1].values.push_back(counted.of_paper);
        found[2].values.push_back(counted.broken);
        found[3].values.push_back(counted.spread);
      }
      const bool best = change == Change::kBest;
      report.rows.push_back({best ? "best output lowered" : "random", fmt::format("{:g}", size),
                             found[0], found[1], found[2], found[3]});
      if (best) {
        chart.curves[0].points.push_back({size, found[0].mean()});
        chart.curves[1].points.push_back({size, found[1].mean()});
      }
    }
  }
  const SoftmaxError example = compare({std::log(0.99), std::log(0.01)}, {-10, 0});
  report.charts = {std::move(chart)};
  report.findings = {
      fmt::format("Eq. 20 is no bound: of probabilities 0.99 and 0.01, the first output lowered by "
                  "10, E is {:.2f} and Eq. 20 gives {:.2f}.",
                  example.error, example.of_paper),
      fmt::format("What holds is E <= 2 tanh(D / 4), D the largest Delta minus the least: {:.2f} "
                  "for that example.",
                  example.of_spread),
      "E follows Delta linearly where Delta is small, as the paper says; for large Delta it ends "
      "at 2, and does not fall."};
  return report;
}

}  // namespace mhe::lab

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "lab/experiments.h"
#include "lab/linear_net.h"

namespace mhe::lab {
namespace {

struct BottleneckSetting {
  NetLoss loss = NetLoss::kCrossEntropy;
  Bias bias = Bias::kYes;
  std::size_t width = 0;
  double temperature = 1;
  double rate = 0;  // of Adam; Frobenius: none

  [[nodiscard]] std::string name() const {
    return loss == NetLoss::kFrobenius ? "Frobenius" : "cross-entropy";
  }
};

std::vector<BottleneckSetting> settings_of(const BottleneckOptions& options) {
  std::vector<BottleneckSetting> settings;
  for (const NetLoss loss : {NetLoss::kFrobenius, NetLoss::kCrossEntropy}) {
    for (const Bias bias : {Bias::kNo, Bias::kYes}) {
      for (const std::size_t width : options.widths) {
        settings.push_back({loss, bias, width, 1, options.rate});
      }
    }
  }
  const std::size_t first = options.widths.front();
  for (const double temperature : options.temperatures) {
    settings.push_back({NetLoss::kCrossEntropy, Bias::kYes, first, temperature, options.rate});
  }
  for (const double rate : options.rates) {
    settings.push_back({NetLoss::kCrossEntropy, Bias::kYes, first, 1, rate});
  }
  return settings;
}

NetTask task_of(const BottleneckOptions& options, const BottleneckSetting& setting,
                std::uint64_t seed) {
  RandomStream random(seed, "lab.bottleneck.data");
  NetTask task;
  task.features = gaussian_samples(random, options.dim, options.samples, options.samples, 0);
  for (std::size_t i = 0; i < options.samples; ++i) task.labels.push_back(i);
  task.shape = {options.dim, setting.width, options.samples, setting.bias};
  task.loss = setting.loss;
  task.temperature = setting.temperature;
  return task;
}

// The Frobenius loss has no bad minimum (Theorem 2), and L-BFGS ends at its optimum. That of
// cross-entropy lies at infinity, slopes and biases being of different size on the way: Adam.
Minimum train_bottleneck(const NetTask& task, const BottleneckOptions& options,
                         const BottleneckSetting& setting, std::uint64_t seed,
                         const OnStep& on_step = {}) {
  RandomStream random(seed, "lab.bottleneck.start");
  Vector start = random_start(task.shape, random);
  if (setting.loss == NetLoss::kFrobenius) {
    return minimise(loss_of(task), std::move(start),
                    {.max_steps = options.steps, .on_step = on_step});
  }
  return adam(loss_of(task), std::move(start),
              {.max_steps = options.steps, .rate = setting.rate, .on_step = on_step});
}

double rank_of(const Matrix& matrix, const BottleneckOptions& options) {
  return static_cast<double>(numerical_rank(matrix, options.tolerance));
}

// Accuracy, loss, rank before and after softmax, steps.
using BottleneckResult = std::array<double, 5>;

BottleneckResult measure_bottleneck(const BottleneckOptions& options,
                                    const BottleneckSetting& setting, std::uint64_t seed) {
  const NetTask task = task_of(options, setting, seed);
  const Minimum found = train_bottleneck(task, options, setting, seed);
  const Matrix outputs = net_outputs(task, found.at);
  return {net_accuracy(task, outputs), found.value, rank_of(outputs, options),
          rank_of(softmax_columns(outputs, task.temperature), options),
          static_cast<double>(found.steps)};
}

// Accuracy and rank along the way, as Fig. 5 a and b have them.
Chart draw_way(const BottleneckOptions& options, const BottleneckSetting& setting,
               std::uint64_t seed) {
  const NetTask task = task_of(options, setting, seed);
  Chart chart = {
      .title = fmt::format("{}, bias, |O_b| = {}", setting.name(), setting.width),
      .x_unit = setting.loss == NetLoss::kFrobenius ? "steps of L-BFGS" : "steps of Adam",
      .y_unit = "% and rank",
      .x_scale = Scale::kLogarithmic,
      .curves = {{"training accuracy, %"}, {"rank of softmax(O)"}}};
  std::size_t next = 1;
  (void)train_bottleneck(task, options, setting, seed, [&](std::size_t step, const Vector& at) {
    if (step < next) return;
    next = step + std::max<std::size_t>(1, step / 4);
    const Matrix outputs = net_outputs(task, at);
    const Matrix shares = softmax_columns(outputs, task.temperature);
    const auto x = static_cast<double>(step);
    chart.curves[0].points.push_back({x, net_accuracy(task, outputs)});
    chart.curves[1].points.push_back({x, rank_of(shares, options)});
  });
  return chart;
}

// Solutions that need no training.
std::vector<std::string> known_solutions(const BottleneckOptions& options, std::uint64_t seed) {
  const std::size_t samples = options.samples;
  if (samples > options.dim) return {};  // their places depend on each other
  const auto count = static_cast<Eigen::Index>(samples);
  NetTask task = task_of(options, {.width = 1}, seed);
  Matrix outputs(count, count);
  for (Eigen::Index label = 0; label < count; ++label) {
    const auto place = static_cast<double>(label);
    for (Eigen::Index i = 0; i < count; ++i) {
      outputs(label, i) = place * static_cast<double>(i) - place * place / 2;
    }
  }
  std::vector<std::string> findings = {fmt::format(
      "Cross-entropy, one unit and bias: with sample i at place i, slope j and bias -j^2 / 2 for "
      "class j, {:.0f} % are right.",
      net_accuracy(task, outputs))};
  for (Eigen::Index label = 0; label < count; ++label) {
    for (Eigen::Index i = 0; i < count; ++i) {
      outputs(label, i) = 2 / static_cast<double>(samples) *
                          std::cos(2 * std::numbers::pi * static_cast<double>(label - i) /
                                   static_cast<double>(count));
    }
  }
  const double loss = (outputs - Matrix::Identity(count, count)).squaredNorm() / 2;
  findings.push_back(fmt::format(
      "Frobenius, two units, no bias: outputs 2 / {0} cos(2 pi (i - j) / {0}) have loss {1:.4g}, "
      "the optimum, and {2:.0f} % right. So the loss does not forbid a good solution; it has no "
      "reason to prefer one.",
      samples, loss, net_accuracy(task, outputs)));
  return findings;
}

void check(const BottleneckOptions& options) {
  require(options.samples >= 3, "samples must be at least 3");
  require(options.dim > 0, "dim must be above 0");
  require(!options.widths.empty(), "widths are missing");
  for (const std::size_t width : options.widths) require(width > 0, "widths must be above 0");
  for (const double temperature : options.temperatures) {
    require(temperature > 0, "temperatures must be above 0");
  }
  require(options.rate > 0, "rate must be above 0");
  for (const double rate : options.rates) require(rate > 0, "rates must be above 0");
  require(options.steps > 0, "steps must be above 0");
  require(options.tolerance > 0 && options.tolerance < 1, "tolerance must be between 0 and 1");
}

}  // namespace

Report bottleneck(const Context& context, const BottleneckOptions& options, const Seeds& seeds) {
  check(options);
  Report report;
  report.title = "Fig. 5: a linear bottleneck, each sample a class of its own";
  report.columns = {{"loss", "loss"},
                    {"bias", "bias"},
                    {"width", "units"},
                    {"temperature", "temperature"},
                    {"rate", "rate"},
                    {"accuracy", "training accuracy, %", 1},
                    {"final_loss", "loss", 3, Style::kSignificant},
                    {"rank", "rank of O", 0},
                    {"softmax_rank", "rank of softmax(O)", 0},
                    {"steps", "steps", 0}};
  const std::vector<BottleneckSetting> settings = settings_of(options);
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const BottleneckSetting& setting = settings[s];
    context.report({"training bottlenecks", s, settings.size(), "settings"});
    std::vector<BottleneckResult> results(seeds.count);
    parallel_for(context, seeds.count, [&](std::size_t i) {
      results[i] = measure_bottleneck(options, setting, seeds.first + i);
    });
    std::vector<Cell> cells = {
        setting.name(), setting.bias == Bias::kYes ? "yes" : "no", std::to_string(setting.width),
        fmt::format("{:g}", setting.temperature),
        setting.loss == NetLoss::kFrobenius ? "-" : fmt::format("{:g}", setting.rate)};
    for (std::size_t j = 0; j < BottleneckResult().size(); ++j) {
      Measured measured;
      for (const BottleneckResult& result : results) measured.values.push_back(result[j]);
      cells.emplace_back(std::move(measured));
    }
    report.rows.push_back(std::move(cells));
  }
  for (const NetLoss loss : {NetLoss::kFrobenius, NetLoss::kCrossEntropy}) {
    report.charts.push_back(draw_way(
        options, {loss, Bias::kYes, options.widths.front(), 1, options.rate}, seeds.first));
  }
  report.findings = known_solutions(options, seeds.first);
  return report;
}

}  // namespace mhe::lab

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "lab/experiments.h"
#include "lab/linear_net.h"

namespace mhe::lab {
namespace {

// A network that is tried: a bottleneck, or none.
struct TriedNet {
  const char* key;
  const char* title;
  std::size_t width;
  Bias bias;
};

constexpr std::array kNets = {
    TriedNet{"one_hot", "one-hot, %", 0, Bias::kYes},
    TriedNet{"one_bias", "1 unit and bias, %", 1, Bias::kYes},
    TriedNet{"one", "1 unit, %", 1, Bias::kNo},
    TriedNet{"two_bias", "2 units and bias, %", 2, Bias::kYes},
    TriedNet{"two", "2 units, %", 2, Bias::kNo},
};

double train_accuracy(const TheoremThreeOptions& options, const TriedNet& net, std::size_t dim,
                      std::uint64_t seed) {
  RandomStream data(seed, "lab.theorem-3.data", dim);
  RandomStream random(seed, "lab.theorem-3.start", dim);
  const std::size_t rows = options.classes * options.samples;
  NetTask task;
  task.shape = {dim, net.width, options.classes, net.bias};
  task.features = gaussian_samples(data, dim, rows, options.classes, options.noise);
  for (std::size_t row = 0; row < rows; ++row) task.labels.push_back(row % options.classes);
  const Minimum found =
      adam(loss_of(task), random_start(task.shape, random), {.max_steps = options.steps});
  return net_accuracy(task, net_outputs(task, found.at));
}

}  // namespace

Report theorem_3(const Context& context, const TheoremThreeOptions& options, const Seeds& seeds) {
  require(options.classes >= 2, "classes must be at least 2");
  require(options.samples > 0, "samples must be above 0");
  require(!options.dims.empty(), "dims are missing");
  for (const std::size_t dim : options.dims) require(dim > 0, "dims must be above 0");
  require(options.noise >= 0, "noise must not be negative");
  Report report;
  report.title = "Theorem 3: training accuracy with cross-entropy";
  report.columns = {{"dim", "numbers of a sample"}};
  Chart chart = {.title = "Training accuracy of bottlenecks with cross-entropy",
                 .x_unit = "numbers of a sample",
                 .y_unit = "%",
                 .x_scale = Scale::kLogarithmic};
  for (const TriedNet& net : kNets) {
    report.columns.push_back({net.key, net.title, 1});
    chart.curves.push_back({std::string(net.title).substr(0, std::string(net.title).find(','))});
  }
  std::uint64_t done = 0;
  for (const std::size_t dim : options.dims) {
    std::vector<Cell> cells = {std::to_string(dim)};
    for (std::size_t n = 0; n < kNets.size(); ++n) {
      Measured accuracy = {std::vector<double>(seeds.count)};
      context.report({"training", done++, kNets.size() * options.dims.size(), "settings"});
      parallel_for(context, seeds.count, [&](std::size_t i) {
        accuracy.values[i] = train_accuracy(options, kNets[n], dim, seeds.first + i);
      });
      chart.curves[n].points.push_back({static_cast<double>(dim), accuracy.mean()});
      cells.emplace_back(std::move(accuracy));
    }
    report.rows.push_back(std::move(cells));
  }
  report.charts = {std::move(chart)};
  report.findings = {
      "One unit gives every class an interval of a line; whether a line has the classes apart "
      "depends on the samples, not only on whether they are separable.",
      "One unit without a bias tells two classes apart, whatever the samples: W and B together "
      "have "
      "rank 1, which the theorem rules out."};
  return report;
}

}  // namespace mhe::lab

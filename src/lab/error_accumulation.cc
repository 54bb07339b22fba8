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
#include "lab/head_task.h"
#include "lab/kronecker.h"

namespace mhe::lab {
namespace {

// As many bits for each head as for the others, the first ones one more where that is not even.
std::vector<std::uint32_t> even_lengths(std::size_t bits, std::size_t heads) {
  std::vector<std::uint32_t> lengths;
  for (std::size_t h = 0; h < heads; ++h) {
    lengths.push_back(1U << (bits / heads + (h < bits % heads ? 1 : 0)));
  }
  return lengths;
}

// How far the nearest product of heads is from outputs above 0 that no product made, in per cent;
// a mean over some of them.
double approximation_error(std::uint64_t seed, const std::vector<std::uint32_t>& lengths,
                           std::size_t num_labels) {
  constexpr std::size_t kDraws = 20;
  RandomStream random(seed, "lab.error-accumulation", num_labels);  // the same for all lengths
  double sum = 0;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    Outputs outputs(num_labels);
    for (double& output : outputs) output = std::exp(gaussian(random));
    sum += relative_error(kronecker(nearest_product(outputs, lengths)), outputs);
  }
  return 100 * sum / kDraws;
}

// What all heads get right if each is right by chance, as often as it is by itself.
double independent_error(const std::vector<double>& head_errors) {
  double all_right = 1;
  for (const double error : head_errors) all_right *= 1 - error / 100;
  return 100 * (1 - all_right);
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

struct Accumulated {
  Measured approximation;
  Measured product;
  Measured of_heads;
  Measured independent;
  Measured cascade;
};

}  // namespace

Report error_accumulation(const Context& context, const ErrorAccumulationOptions& options,
                          const Seeds& seeds) {
  require(options.bits >= 2 && options.bits <= 14, "bits must be from 2 to 14, not {}",
          options.bits);
  check(options.task);
  const std::size_t num_labels = std::size_t{1} << options.bits;
  Report report;
  report.title = fmt::format("Eq. 14: {} labels, more and more heads", num_labels);
  report.columns = {{"heads", "heads"},
                    {"lengths", "lengths"},
                    {"approximation", "error of nearest product, %", 1},
                    {"of_heads", "error of a product's head, %", 1},
                    {"independent", "of all, if by chance, %", 1},
                    {"product", "error of product, %", 1},
                    {"cascade", "error of cascade, %", 1}};
  std::vector<HeadTask> tasks;
  for (std::uint64_t i = 0; i < seeds.count; ++i) {
    tasks.push_back(make_head_task(options.task, num_labels, seeds.first + i));
  }
  Chart chart = {.title = "Error by number of heads",
                 .x_unit = "heads",
                 .y_unit = "%",
                 .x_scale = Scale::kLogarithmic,
                 .curves = {{"nearest product"}, {"trained product"}, {"trained cascade"}}};
  for (std::size_t heads = 1; heads <= options.bits; heads *= 2) {
    const std::vector<std::uint32_t> lengths = even_lengths(options.bits, heads);
    Accumulated all;
    context.report({"training heads", heads, options.bits, "heads"});
    for (std::uint64_t i = 0; i < seeds.count; ++i) {
      const Context seeded = context.with_seed(seeds.first + i);
      all.approximation.values.push_back(approximation_error(seeds.first + i, lengths, num_labels));
      const bool one = heads == 1;
      const HeadErrors product = train_heads(
          seeded, tasks[i], options.task,
          one ? TrainedHeads{HeadKind::kOneHot, {}} : TrainedHeads{HeadKind::kProduct, lengths});
      const HeadErrors cascade =
          one ? product
              : train_heads(seeded, tasks[i], options.task, {HeadKind::kCascade, lengths});
      all.product.values.push_back(product.error);
      all.cascade.values.push_back(cascade.error);
      all.of_heads.values.push_back(one ? product.error : mean_of(product.heads));
      all.independent.values.push_back(one ? product.error : independent_error(product.heads));
    }
    const auto x = static_cast<double>(heads);
    chart.curves[0].points.push_back({x, all.approximation.mean()});
    chart.curves[1].points.push_back({x, all.product.mean()});
    chart.curves[2].points.push_back({x, all.cascade.mean()});
    report.rows.push_back({std::to_string(heads), describe_lengths(lengths), all.approximation,
                           all.of_heads, all.independent, all.product, all.cascade});
  }
  report.charts = {std::move(chart)};
  return report;
}

}  // namespace mhe::lab

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SVD>
#include <fmt/format.h>

#include "base/check.h"
#include "base/random.h"
#include "lab/experiments.h"
#include "lab/gaussian.h"
#include "lab/kronecker.h"

namespace mhe::lab {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Outputs whose errors are spread over all labels at random, or stand where they hurt most.
enum class Errors : std::uint8_t { kRandom, kWorst };

// How often outputs that differ from a product by at most `share` of half the distance between its
// two largest elements have their largest in the same place; in per cent.
double agreement_within(RandomStream& random, const CorollaryOneOptions& options, double share,
                        Errors errors) {
  std::size_t agree = 0;
  for (std::size_t draw = 0; draw < options.draws; ++draw) {
    std::array<Outputs, 2> heads;
    for (Outputs& head : heads) {
      for (std::uint32_t i = 0; i < options.length; ++i) head.push_back(random.uniform());
    }
    const Outputs product = kronecker(heads);
    const std::size_t best = argmax(product);
    Outputs others = product;
    others[best] = -1;
    const std::size_t second = argmax(others);
    const double error = share * (product[best] - product[second]) / 2;
    Outputs outputs = product;
    if (errors == Errors::kWorst) {
      outputs[best] -= error;
      outputs[second] += error;
    } else {
      for (double& output : outputs) output += error * (2 * random.uniform() - 1);
    }
    agree += argmax(outputs) == best ? 1 : 0;
  }
  return 100 * static_cast<double>(agree) / static_cast<double>(options.draws);
}

// The nearest matrix of a rank, by singular values (Eckart and Young).
RowMatrix nearest_of_rank(const RowMatrix& outputs, Eigen::Index rank) {
  const Eigen::BDCSVD<RowMatrix> svd(outputs, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return svd.matrixU().leftCols(rank) * svd.singularValues().head(rank).asDiagonal() *
         svd.matrixV().leftCols(rank).transpose();
}

// One-hot outputs: softmaxes of random numbers of this size, or uniform for 0.
Outputs draw_outputs(RandomStream& random, std::size_t count, double scale) {
  Outputs outputs(count);
  for (double& output : outputs) output = scale > 0 ? scale * gaussian(random) : random.uniform();
  return scale > 0 ? softmax(outputs) : outputs;
}

// How often the nearest sum of `rank` products has its largest element in the same place, and how
// far it is; both in per cent.
std::array<double, 2> nearest_products(RandomStream& random, const CorollaryOneOptions& options,
                                       double scale, Eigen::Index rank) {
  const Eigen::Index length = options.length;
  double agrees = 0;
  double error = 0;
  for (std::size_t draw = 0; draw < options.draws; ++draw) {
    const Outputs outputs =
        draw_outputs(random, std::size_t{options.length} * options.length, scale);
    const RowMatrix near =
        nearest_of_rank(Eigen::Map<const RowMatrix>(outputs.data(), length, length), rank);
    const std::span<const double> values(near.data(), outputs.size());
    agrees += argmax(values) == argmax(outputs) ? 1 : 0;
    error += relative_error(values, outputs);
  }
  const auto draws = static_cast<double>(options.draws);
  return {100 * agrees / draws, 100 * error / draws};
}

// The proof takes the best approximation for one that has its largest element in the right place.
std::string counter_example_to_nearest() {
  RowMatrix outputs(3, 3);
  outputs << 1, 0, 0, 0, 0.9, 0.9, 0, 0.9, 0.9;
  const RowMatrix near = nearest_of_rank(outputs, 1);
  Eigen::Index row = 0;
  Eigen::Index column = 0;
  near.maxCoeff(&row, &column);
  return fmt::format(
      "The nearest product need not agree: outputs of 1 at (0, 0) and of 0.9 at (1, 1), (1, 2), "
      "(2, 1), (2, 2) are largest at (0, 0), their nearest product is 0.9 at these four and {:.1f} "
      "at (0, 0). Its errors sum to {:.1f}, the least there is, so the proof's premise holds.",
      near(0, 0), (near - outputs).array().abs().sum());
}

}  // namespace

Report corollary_1(const Context& context, const CorollaryOneOptions& options, const Seeds& seeds) {
  require(options.draws > 0, "draws must be above 0");
  require(options.length >= 2 && options.length <= 64, "length must be from 2 to 64, not {}",
          options.length);
  Report report;
  report.title = "Corollary 1: heads that come near to one-hot outputs";
  report.columns = {{"outputs", "one-hot outputs", 0},
                    {"near", "heads", 0},
                    {"agrees", "same label, %", 1},
                    {"worst", "worst errors, %", 1},
                    {"error", "relative error, %", 1}};
  const auto measure = [&](const auto& run) {
    std::array<Measured, 2> all;
    for (std::uint64_t i = 0; i < seeds.count; ++i) {
      context.check_stop();
      RandomStream random(seeds.first + i, "lab.corollary-1", report.rows.size());
      const std::array<double, 2> one = run(random);
      for (std::size_t j = 0; j < one.size(); ++j) all[j].values.push_back(one[j]);
    }
    return all;
  };
  Chart chart = {.title = "Errors at most this share of half the margin",
                 .x_unit = "share",
                 .y_unit = "same label, %",
                 .x_scale = Scale::kLogarithmic,
                 .curves = {{"random errors"}, {"the worst errors"}}};
  for (const double share : {0.5, 0.99, 1.01, 2.0, 5.0, 20.0}) {
    const auto all = measure([&](RandomStream& random) {
      return std::array{agreement_within(random, options, share, Errors::kRandom),
                        agreement_within(random, options, share, Errors::kWorst)};
    });
    report.rows.push_back({fmt::format("product +- {:g} x half its margin", share), "the product",
                           all[0], all[1], "-"});
    for (std::size_t i = 0; i < all.size(); ++i) {
      chart.curves[i].points.push_back({share, all[i].mean()});
    }
  }
  Chart ranks = {
      .title = "Nearest sum of G products (Eq. 16)", .x_unit = "G", .y_unit = "same label, %"};
  for (const double scale : {0.0, 1.0, 5.0}) {
    const std::string name = scale > 0 ? fmt::format("softmax, deviation {:g}", scale) : "uniform";
    ranks.curves.push_back({name, {}});
    for (Eigen::Index rank = 1; rank <= static_cast<Eigen::Index>(options.length); rank *= 2) {
      const auto all = measure(
          [&](RandomStream& random) { return nearest_products(random, options, scale, rank); });
      report.rows.push_back({name, fmt::format("nearest, G = {}", rank), all[0], "-", all[1]});
      ranks.curves.back().points.push_back({static_cast<double>(rank), all[0].mean()});
    }
  }
  report.charts = {std::move(chart), std::move(ranks)};
  report.findings = {
      "Labels agree whenever no error exceeds half of the margin, the distance between the two "
      "largest outputs of the product; beyond it they need not.",
      counter_example_to_nearest()};
  return report;
}

}  // namespace mhe::lab

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
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

constexpr std::size_t kLeastHeads = 2;
constexpr std::size_t kMostHeads = 5;
constexpr std::uint64_t kMostOutputs = 6;  // of a head: at most 7,776 labels

enum class Sign : std::uint8_t { kNotNegative, kAny };

std::vector<Outputs> draw_heads(RandomStream& random, std::size_t count, Sign sign) {
  std::vector<Outputs> heads(count);
  for (Outputs& head : heads) {
    head.resize(2 + random.below(kMostOutputs - 1));
    for (double& output : head) {
      output = sign == Sign::kAny ? gaussian(random) : random.uniform();
    }
  }
  return heads;
}

// No element of the product is larger than that of the heads' largest outputs.
bool heads_find_largest(std::span<const Outputs> heads) {
  const Outputs product = kronecker(heads);
  return product[label_of_heads(heads)] == product[argmax(product)];
}

// In per cent.
double agreement(std::size_t draws, const std::function<std::vector<Outputs>()>& draw) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < draws; ++i) found += heads_find_largest(draw()) ? 1 : 0;
  return 100 * static_cast<double>(found) / static_cast<double>(draws);
}

std::string counter_example() {
  const std::array<Outputs, 2> heads = {Outputs{-2, 1}, Outputs{-3, 1}};
  const Outputs product = kronecker(heads);
  return fmt::format(
      "Counter-example with negative outputs: the product of [-2, 1] and [-3, 1] is [{}], largest "
      "at label {}; the heads say {}.",
      fmt::join(product, ", "), argmax(product), label_of_heads(heads));
}

}  // namespace

Report theorem_1(const Context& context, const TheoremOneOptions& options, const Seeds& seeds) {
  require(options.draws > 0, "draws must be above 0");
  Report report;
  report.title = "Theorem 1: the largest output of a product of heads";
  report.columns = {{"heads", "heads", 0},
                    {"not_negative", "not negative, found %", 2},
                    {"any_sign", "any sign, found %", 2},
                    {"probabilities", "their softmaxes, found %", 2}};
  Chart chart = {.title = "Largest output found by the heads",
                 .x_unit = "heads",
                 .y_unit = "%",
                 .curves = {{"not negative"}, {"any sign"}, {"softmaxes"}}};
  for (std::size_t heads = kLeastHeads; heads <= kMostHeads; ++heads) {
    std::array<Measured, 3> found;
    for (std::uint64_t i = 0; i < seeds.count; ++i) {
      context.check_stop();
      RandomStream random(seeds.first + i, "lab.theorem-1", heads);
      found[0].values.push_back(
          agreement(options.draws, [&] { return draw_heads(random, heads, Sign::kNotNegative); }));
      found[1].values.push_back(
          agreement(options.draws, [&] { return draw_heads(random, heads, Sign::kAny); }));
      found[2].values.push_back(agreement(options.draws, [&] {
        std::vector<Outputs> drawn = draw_heads(random, heads, Sign::kAny);
        for (Outputs& head : drawn) head = softmax(head);
        return drawn;
      }));
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      chart.curves[i].points.push_back({static_cast<double>(heads), found[i].mean()});
    }
    report.rows.push_back({std::to_string(heads), found[0], found[1], found[2]});
  }
  report.charts = {std::move(chart)};
  report.findings = {
      counter_example(),
      "A head whose outputs are all 0 makes all labels equal; the theorem then says nothing."};
  return report;
}

}  // namespace mhe::lab

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/kronecker.h"

#include <algorithm>
#include <cmath>

#include <mhe/label_space.h>

namespace mhe::lab {

std::size_t argmax(std::span<const double> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

Outputs kronecker(std::span<const Outputs> heads) {
  Outputs product = {1};
  for (const Outputs& head : heads) {
    Outputs next;
    next.reserve(product.size() * head.size());
    for (const double value : product) {
      for (const double factor : head) next.push_back(value * factor);
    }
    product = std::move(next);
  }
  return product;
}

std::size_t label_of_heads(std::span<const Outputs> heads) {
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> digits;
  for (const Outputs& head : heads) {
    lengths.push_back(static_cast<std::uint32_t>(head.size()));
    digits.push_back(static_cast<std::uint32_t>(argmax(head)));
  }
  return LabelSpace::full(std::move(lengths)).label(digits);
}

Outputs softmax(std::span<const double> outputs, double temperature) {
  const double most = *std::max_element(outputs.begin(), outputs.end());
  Outputs shares;
  double sum = 0;
  for (const double output : outputs) {
    shares.push_back(std::exp((output - most) / temperature));
    sum += shares.back();
  }
  for (double& share : shares) share /= sum;
  return shares;
}

double relative_error(std::span<const double> a, std::span<const double> b) {
  double squares = 0;
  double all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    squares += (a[i] - b[i]) * (a[i] - b[i]);
    all += b[i] * b[i];
  }
  return std::sqrt(squares / all);
}

std::vector<Outputs> nearest_product(std::span<const double> outputs,
                                     std::span<const std::uint32_t> lengths) {
  constexpr std::size_t kSweeps = 200;
  constexpr double kSmall = 1e-12;
  std::vector<Outputs> heads;
  for (const std::uint32_t length : lengths) heads.emplace_back(length, 1.0);
  double before = 2;  // beyond any error
  for (std::size_t sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t h = 0; h < heads.size(); ++h) {
      // With the others fixed, the best head is <outputs, product of the others> / |others|^2.
      double squares = 1;
      for (std::size_t other = 0; other < heads.size(); ++other) {
        if (other == h) continue;
        double sum = 0;
        for (const double value : heads[other]) sum += value * value;
        squares *= sum;
      }
      std::fill(heads[h].begin(), heads[h].end(), 1.0);
      const Outputs others = kronecker(heads);
      std::size_t below = 1;  // labels that share the digits up to h
      for (std::size_t other = h + 1; other < heads.size(); ++other) below *= heads[other].size();
      Outputs best(heads[h].size(), 0.0);
      for (std::size_t label = 0; label < outputs.size(); ++label) {
        best[label / below % best.size()] += outputs[label] * others[label] / squares;
      }
      heads[h] = std::move(best);
    }
    const double error = relative_error(kronecker(heads), outputs);
    if (before - error < kSmall) break;
    before = error;
  }
  return heads;
}

}  // namespace mhe::lab

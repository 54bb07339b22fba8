// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The loss of product heads from its definition, in double: what their code is tested against.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "heads/head_spec.h"

namespace mhe::testing {

inline std::vector<double> softmax_of(std::span<const double> x) {
  std::vector<double> p(x.begin(), x.end());
  double sum = 0;
  for (double& v : p) sum += v = std::exp(v);
  for (double& v : p) v /= sum;
  return p;
}

// -log sum_g gate_g prod_h softmax(O_g^h)[y_h], mean over labels; or binary cross-entropy. From the
// definitions, in double.
inline double product_reference_loss(const heads::HeadSpec& spec,
                                     const std::vector<std::uint32_t>& digits,
                                     std::span<const double> x) {
  const std::size_t heads = spec.lengths.size();
  const std::size_t rank = spec.as<heads::ProductSpec>()->rank;
  const std::size_t group = std::accumulate(spec.lengths.begin(), spec.lengths.end(), 0U);
  if (spec.loss == heads::Loss::kSigmoid) {
    std::vector<double> target(group);
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const auto begin = std::accumulate(
          spec.lengths.begin(), spec.lengths.begin() + static_cast<std::ptrdiff_t>(i % heads), 0U);
      target[begin + digits[i]] = 1;
    }
    double loss = 0;
    for (std::size_t i = 0; i < group; ++i) {
      const double p = 1 / (1 + std::exp(-x[i]));
      loss -= target[i] * std::log(p) + (1 - target[i]) * std::log(1 - p);
    }
    return loss;
  }
  if (digits.empty()) return 0;
  const std::vector<double> gates =
      rank == 1 ? std::vector<double>{1} : softmax_of(x.subspan(rank * group, rank));
  double loss = 0;
  for (std::size_t first = 0; first < digits.size(); first += heads) {
    double p = 0;
    std::size_t begin = 0;
    for (std::size_t g = 0; g < rank; ++g) {
      double product = gates[g];
      for (std::size_t h = 0; h < heads; ++h) {
        product *= softmax_of(x.subspan(begin, spec.lengths[h]))[digits[first + h]];
        begin += spec.lengths[h];
      }
      p += product;
    }
    loss -= std::log(p);
  }
  return loss * static_cast<double>(heads) / static_cast<double>(digits.size());
}

/// Codes with softmax and one group: -log of the softmax over labels of the sums of their digits'
/// outputs, mean over the example's labels. `codes` [label][head].
inline double code_reference_loss(const heads::HeadSpec& spec,
                                  const std::vector<std::uint32_t>& codes,
                                  std::span<const std::size_t> labels, std::span<const double> x) {
  const auto score_of = [&](std::size_t label) {
    double sum = 0;
    std::size_t begin = 0;
    for (std::size_t h = 0; h < spec.lengths.size(); ++h) {
      sum += x[begin + codes[label * spec.lengths.size() + h]];
      begin += spec.lengths[h];
    }
    return sum;
  };
  double total = 0;
  for (std::size_t label = 0; label < spec.num_labels; ++label) total += std::exp(score_of(label));
  double loss = 0;
  for (const std::size_t label : labels) loss += std::log(total) - score_of(label);
  return labels.empty() ? 0 : loss / static_cast<double>(labels.size());
}

/// Central differences in double: the error is about the square of the step.
template <class LossOf>
std::vector<double> slopes_of(const LossOf& loss_of, std::vector<double> x) {
  constexpr double kStep = 1e-4;
  std::vector<double> gradient(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = x[i];
    x[i] = at + kStep;
    const double above = loss_of(x);
    x[i] = at - kStep;
    const double below = loss_of(x);
    x[i] = at;
    gradient[i] = (above - below) / (2 * kStep);
  }
  return gradient;
}

}  // namespace mhe::testing

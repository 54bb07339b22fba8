// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/minimise.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace mhe::lab {
namespace {

constexpr std::size_t kMemory = 20;

// One step back: how far, and what that did to the gradient.
struct PastStep {
  Vector moved;
  Vector turned;
  double curvature = 0;  // moved . turned, above 0
};

// Minus the gradient times what the past steps say of the inverse Hessian.
Vector direction(const std::deque<PastStep>& past, const Vector& gradient) {
  Vector way = -gradient;
  std::vector<double> shares(past.size());
  for (std::size_t i = past.size(); i-- > 0;) {
    shares[i] = past[i].moved.dot(way) / past[i].curvature;
    way -= shares[i] * past[i].turned;
  }
  if (!past.empty()) way *= past.back().curvature / past.back().turned.squaredNorm();
  for (std::size_t i = 0; i < past.size(); ++i) {
    way += (shares[i] - past[i].turned.dot(way) / past[i].curvature) * past[i].moved;
  }
  return way;
}

struct Place {
  Vector at;
  Vector gradient;
  double value = 0;
};

// A place along `way` that is lower by enough and less steep by enough; false if there is none.
bool search_line(const Function& function, const Place& from, const Vector& way, double first,
                 Place& to) {
  constexpr double kEnoughLower = 1e-4;
  constexpr double kEnoughLevel = 0.9;
  constexpr std::size_t kTrials = 60;
  const double slope = from.gradient.dot(way);
  if (!(slope < 0)) return false;
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  double length = first;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    to.at = from.at + length * way;
    to.value = function(to.at, to.gradient);
    // Written so that NaN is too far.
    if (!(to.value <= from.value + kEnoughLower * length * slope)) {
      high = length;
    } else if (to.gradient.dot(way) < kEnoughLevel * slope) {
      low = length;
    } else {
      return true;
    }
    length = std::isfinite(high) ? (low + high) / 2 : 2 * low;
  }
  return false;
}

}  // namespace

Minimum minimise(const Function& function, Vector start, const NewtonOptions& options) {
  Place here;
  here.at = std::move(start);
  here.value = function(here.at, here.gradient);
  Place next = here;
  std::deque<PastStep> past;
  std::size_t step = 0;
  for (; step < options.max_steps; ++step) {
    if (options.on_step) options.on_step(step, here.at);
    if (here.gradient.lpNorm<Eigen::Infinity>() <= options.gradient_size) break;
    // The first step has length 1: nothing is known of the curvature yet.
    const double first = past.empty() ? 1 / here.gradient.norm() : 1;
    if (!search_line(function, here, direction(past, here.gradient), first, next)) {
      if (past.empty()) break;
      past.clear();  // what the past says may be wrong here
      continue;
    }
    PastStep last = {next.at - here.at, next.gradient - here.gradient, 0};
    last.curvature = last.moved.dot(last.turned);
    if (last.curvature > 0) past.push_back(std::move(last));
    if (past.size() > kMemory) past.pop_front();
    std::swap(here, next);
  }
  if (options.on_step && step == options.max_steps) options.on_step(step, here.at);
  return {std::move(here.at), here.value, step};
}

Minimum adam(const Function& function, Vector start, const AdamOptions& options) {
  constexpr double kMean = 0.9;
  constexpr double kSquare = 0.999;
  constexpr double kEpsilon = 1e-12;  // gradients of a good solution are small
  Minimum here = {std::move(start), 0, 0};
  Vector gradient;
  Vector mean = Vector::Zero(here.at.size());
  Vector square = mean;
  double mean_left = 1;  // of the zeros that the averages began with
  double square_left = 1;
  for (;; ++here.steps) {
    here.value = function(here.at, gradient);
    if (options.on_step) options.on_step(here.steps, here.at);
    if (here.steps == options.max_steps || here.value < options.enough) return here;
    const double done = static_cast<double>(here.steps) / static_cast<double>(options.max_steps);
    const double rate = options.rate * std::min(1.0, 2 * (1 - done));
    mean = kMean * mean + (1 - kMean) * gradient;
    square = kSquare * square + (1 - kSquare) * gradient.cwiseAbs2();
    mean_left *= kMean;
    square_left *= kSquare;
    here.at.array() -= rate / (1 - mean_left) * mean.array() /
                       ((square.array() / (1 - square_left)).sqrt() + kEpsilon);
  }
}

}  // namespace mhe::lab

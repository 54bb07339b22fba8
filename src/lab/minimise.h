// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include <Eigen/Core>

namespace mhe::lab {

using Vector = Eigen::VectorXd;

/// A function's value at a point; writes its gradient.
using Function = std::function<double(const Vector& at, Vector& gradient)>;

struct Minimum {
  Vector at;
  double value = 0;
  std::size_t steps = 0;
};

/// Called before every step and at the end. May be empty.
using OnStep = std::function<void(std::size_t step, const Vector& at)>;

struct NewtonOptions {
  std::size_t max_steps = 1000;
  double gradient_size = 1e-9;  ///< the largest element of a gradient that is none
  OnStep on_step = {};
};

/// L-BFGS: the last 20 steps tell the curvature, and each step is as long as the weak Wolfe
/// conditions ask (bisection, Lewis and Overton 2013). There is no step size to choose. Ends at
/// max_steps, at a gradient that is none, or where no step leads further down.
[[nodiscard]] Minimum minimise(const Function& function, Vector start,
                               const NewtonOptions& options = {});

struct AdamOptions {
  std::size_t max_steps = 1000;
  double rate = 0.1;     ///< of the first half of the steps; from there it falls to 0
  double enough = 1e-6;  ///< ends at a value below it
  OnStep on_step = {};
};

/// Adam (Kingma and Ba 2015), all samples in every step. Elements of a solution that differ by
/// orders of magnitude, as slopes and biases of many classes on a line do, are no trouble to it.
[[nodiscard]] Minimum adam(const Function& function, Vector start, const AdamOptions& options = {});

}  // namespace mhe::lab

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <fmt/format.h>

#include "base/check.h"
#include "base/random.h"
#include "lab/experiments.h"
#include "lab/linear_net.h"

namespace mhe::lab {
namespace {

constexpr std::size_t kSteps = 50'000;
constexpr double kNoGap = 1e-9;  // of the squared distance at 0: far above rounding

// What is known of the loss without training: with F = U_f S_f V_f^T it depends on W_2 W_1 through
// A = W_2 W_1 U_f S_f only, and the nearest A of a rank is that of the singular values of Y V_f.
class KnownLoss {
 public:
  explicit KnownLoss(const NetTask& task)
      : width_(static_cast<Eigen::Index>(task.shape.width)),
        features_(task.features, Eigen::ComputeThinU | Eigen::ComputeThinV) {
    features_.setThreshold(kTolerance);
    const Eigen::Index rank = features_.rank();
    Matrix targets = Matrix::Zero(static_cast<Eigen::Index>(task.shape.outputs),
                                  static_cast<Eigen::Index>(task.labels.size()));
    for (std::size_t i = 0; i < task.labels.size(); ++i) {
      targets(static_cast<Eigen::Index>(task.labels[i]), static_cast<Eigen::Index>(i)) = 1;
    }
    squares_ = targets.squaredNorm();
    targets_.setThreshold(kTolerance);
    targets_.compute(targets * features_.matrixV().leftCols(rank),
                     Eigen::ComputeThinU | Eigen::ComputeThinV);
  }

  // The least loss there is.
  [[nodiscard]] double optimum() const {
    const Eigen::Index kept = std::min(width_, targets_.rank());
    return (squares_ - targets_.singularValues().head(kept).squaredNorm()) / 2;
  }
  // The loss of weights that are all 0.
  [[nodiscard]] double at_zero() const { return squares_ / 2; }

  // Parameters at which the gradient is 0, for every choice of at most width singular values.
  [[nodiscard]] std::vector<Vector> critical_points() const {
    std::vector<Vector> points;
    const Eigen::Index count = targets_.rank();
    for (std::uint64_t chosen = 0; chosen < std::uint64_t{1} << count; ++chosen) {
      if (std::popcount(chosen) <= width_) points.push_back(point_of(chosen));
    }
    return points;
  }

 private:
  static constexpr double kTolerance = 1e-10;

  [[nodiscard]] Vector point_of(std::uint64_t chosen) const {
    const Eigen::Index rank = features_.rank();
    Matrix first = Matrix::Zero(width_, features_.matrixU().rows());
    Matrix second = Matrix::Zero(targets_.matrixU().rows(), width_);
    Eigen::Index unit = 0;
    for (Eigen::Index i = 0; i < targets_.rank(); ++i) {
      if ((chosen >> i & 1U) == 0) continue;
      second.col(unit) = targets_.matrixU().col(i);
      const Vector scaled = (targets_.singularValues()(i) * targets_.matrixV().col(i))
                                .cwiseQuotient(features_.singularValues().head(rank));
      first.row(unit++) = (features_.matrixU().leftCols(rank) * scaled).transpose();
    }
    Vector point(first.size() + second.size());
    point << first.reshaped(), second.reshaped();
    return point;
  }

  Eigen::Index width_;
  Eigen::JacobiSVD<Matrix> features_;
  Eigen::JacobiSVD<Matrix> targets_;
  double squares_ = 0;
};

// The least eigenvalue of the Hessian, from differences of gradients.
double least_curvature(const NetTask& task, const Vector& at) {
  constexpr double kStep = 1e-5;
  Matrix hessian(at.size(), at.size());
  Vector moved = at;
  Vector above;
  Vector below;
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    moved(i) = at(i) + kStep;
    (void)net_loss(task, moved, above);
    moved(i) = at(i) - kStep;
    (void)net_loss(task, moved, below);
    moved(i) = at(i);
    hessian.col(i) = (above - below) / (2 * kStep);
  }
  const Matrix symmetric = (hessian + hessian.transpose()) / 2;
  return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .minCoeff();
}

struct Landscape {
  double worst_gap = 0;    // of the starts, to the optimum, as a share of the loss at 0
  double saddles = 0;      // critical points above the optimum
  double least_steep = 0;  // the least curvature of the saddle that is hardest to leave
};

Landscape explore(const NetTask& task, std::size_t starts, RandomStream& random) {
  const KnownLoss known(task);
  Landscape landscape;
  for (std::size_t start = 0; start < starts; ++start) {
    const Minimum found =
        minimise(loss_of(task), random_start(task.shape, random), {.max_steps = kSteps});
    landscape.worst_gap =
        std::max(landscape.worst_gap, (found.value - known.optimum()) / known.at_zero());
  }
  double hardest = -std::numeric_limits<double>::infinity();
  for (const Vector& point : known.critical_points()) {
    Vector gradient;
    const double loss = net_loss(task, point, gradient);
    MHE_ASSERT(gradient.lpNorm<Eigen::Infinity>() < 1e-6);
    if (loss - known.optimum() < kNoGap * known.at_zero()) continue;
    ++landscape.saddles;
    hardest = std::max(hardest, least_curvature(task, point));
  }
  landscape.least_steep = hardest;
  return landscape;
}

// How far above the optimum a start is, step by step.
Curve follow_start(const NetTask& task, RandomStream& random) {
  const KnownLoss known(task);
  Curve curve = {fmt::format("{} samples", task.labels.size()), {}};
  Vector ignored;
  (void)minimise(loss_of(task), random_start(task.shape, random),
                 {.max_steps = kSteps, .on_step = [&](std::size_t step, const Vector& at) {
                    const double gap = net_loss(task, at, ignored) - known.optimum();
                    curve.points.push_back({static_cast<double>(step + 1), gap / known.at_zero()});
                  }});
  return curve;
}

NetTask task_with(const TheoremTwoOptions& options, std::size_t samples, RandomStream& random) {
  NetTask task;
  task.loss = NetLoss::kFrobenius;
  task.shape = {options.dim, options.width, options.classes, Bias::kNo};
  task.features = gaussian_samples(random, options.dim, samples, samples, 0);
  for (std::size_t row = 0; row < samples; ++row) task.labels.push_back(row % options.classes);
  return task;
}

}  // namespace

Report theorem_2(const Context& context, const TheoremTwoOptions& options, const Seeds& seeds) {
  require(options.dim > 1 && options.dim <= 16, "dim must be from 2 to 16, not {}", options.dim);
  require(options.classes > 1 && options.classes <= 16, "classes must be from 2 to 16, not {}",
          options.classes);
  require(options.width > 0 && options.width < std::min(options.dim, options.classes),
          "width must be from 1 to less than dim and classes, not {}", options.width);
  require(options.starts > 0, "starts must be above 0");
  Report report;
  report.title = "Theorem 2: minima of the Frobenius loss of a bottleneck";
  report.columns = {{"samples", "samples"},
                    {"full_rank", "F has full row rank"},
                    {"worst_gap", "worst gap to optimum", 1, Style::kSignificant},
                    {"saddles", "other critical points", 0},
                    {"curvature", "their least curvature, at most", 3}};
  const std::array<std::size_t, 3> samples = {4 * options.dim, 2 * options.dim, options.dim / 2};
  Chart chart = {.title = "One start each: loss above the optimum, as a share of that at 0",
                 .x_unit = "step of L-BFGS",
                 .y_unit = "",
                 .x_scale = Scale::kLogarithmic,
                 .y_scale = Scale::kLogarithmic};
  double worst = 0;
  double steepness = -std::numeric_limits<double>::infinity();
  for (const std::size_t count : samples) {
    std::array<Measured, 3> found;
    for (std::uint64_t i = 0; i < seeds.count; ++i) {
      context.check_stop();
      RandomStream random(seeds.first + i, "lab.theorem-2", count);
      const NetTask task = task_with(options, count, random);
      if (i == 0) chart.curves.push_back(follow_start(task, random));
      const Landscape landscape = explore(task, options.starts, random);
      found[0].values.push_back(landscape.worst_gap);
      found[1].values.push_back(landscape.saddles);
      found[2].values.push_back(landscape.least_steep);
    }
    worst = std::max(worst, found[0].most());
    steepness = std::max(steepness, found[2].most());
    report.rows.push_back(
        {std::to_string(count), count >= options.dim ? "yes" : "no", found[0], found[1], found[2]});
  }
  report.charts = {std::move(chart)};
  constexpr double kFound = 1e-6;  // a start that is still on its way may be this far off
  report.findings = {
      fmt::format("The worst of {} starts ends {:.1g} of the loss at 0 above the optimum: {}.",
                  options.starts * seeds.count * samples.size(), worst,
                  worst < kFound ? "none met a bad local minimum" : "not all found it"),
      fmt::format("The least curvature at every other critical point is {:.2g} or less: {}.",
                  steepness,
                  steepness < 0 ? "all of them are saddles, F of full row rank or not"
                                : "some are no saddles")};
  return report;
}

}  // namespace mhe::lab

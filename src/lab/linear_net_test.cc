// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/linear_net.h"

#include <gtest/gtest.h>

namespace mhe::lab {
namespace {

NetTask small_task(NetLoss loss, std::size_t width, Bias bias) {
  RandomStream random(3, "test");
  NetTask task;
  task.features = gaussian_samples(random, 4, 7, 3, 0.5);
  for (std::size_t i = 0; i < 7; ++i) task.labels.push_back(i % 3);
  task.shape = {4, width, 3, bias};
  task.loss = loss;
  task.temperature = loss == NetLoss::kCrossEntropy ? 0.7 : 1;
  return task;
}

TEST(LinearNet, GradientAgreesWithFiniteDifferences) {
  for (const NetLoss loss : {NetLoss::kFrobenius, NetLoss::kCrossEntropy}) {
    for (const std::size_t width : {0U, 1U, 2U}) {
      for (const Bias bias : {Bias::kNo, Bias::kYes}) {
        const NetTask task = small_task(loss, width, bias);
        RandomStream random(5, "test.start");
        Vector at = random_start(task.shape, random);
        at.array() += 0.1;  // biases too
        ASSERT_EQ(static_cast<std::size_t>(at.size()), task.shape.parameters());
        Vector gradient;
        (void)net_loss(task, at, gradient);
        Vector ignored;
        for (Eigen::Index i = 0; i < at.size(); ++i) {
          constexpr double kStep = 1e-6;
          Vector moved = at;
          moved(i) += kStep;
          const double above = net_loss(task, moved, ignored);
          moved(i) -= 2 * kStep;
          const double below = net_loss(task, moved, ignored);
          // A difference of values near 1 loses 1e-16 / 1e-6.
          EXPECT_NEAR((above - below) / (2 * kStep), gradient(i), 1e-8);
        }
      }
    }
  }
}

TEST(LinearNet, CountsRightSamples) {
  NetTask task = small_task(NetLoss::kFrobenius, 0, Bias::kNo);
  Matrix outputs = Matrix::Zero(3, 7);
  for (Eigen::Index i = 0; i < 7; ++i) outputs(i % 3, i) = 1;
  EXPECT_EQ(net_accuracy(task, outputs), 100);
  outputs.col(0).setZero();
  outputs(2, 0) = 1;
  EXPECT_NEAR(net_accuracy(task, outputs), 600.0 / 7, 1e-12);
}

TEST(NumericalRank, CountsSingularValuesAboveAShare) {
  Matrix matrix = Matrix::Zero(3, 4);
  matrix.diagonal() << 10, 1, 1e-7;
  EXPECT_EQ(numerical_rank(matrix, 1e-5), 2U);
  EXPECT_EQ(numerical_rank(matrix, 1e-9), 3U);
  EXPECT_EQ(numerical_rank(Matrix::Ones(5, 5), 1e-5), 1U);
}

TEST(SoftmaxColumns, RaisesTheRank) {
  const Vector line = Vector::LinSpaced(6, -1, 1);
  const Matrix outputs = line * line.transpose();
  EXPECT_EQ(numerical_rank(outputs, 1e-9), 1U);
  const Matrix shares = softmax_columns(outputs, 0.1);
  EXPECT_GT(numerical_rank(shares, 1e-9), 4U);
  EXPECT_LT((shares.colwise().sum().array() - 1).abs().maxCoeff(), 1e-15);
}

TEST(GaussianSamples, LieAroundTheirCentres) {
  RandomStream random(1, "test.samples");
  const Matrix samples = gaussian_samples(random, 2'000, 4, 2, 0.1);
  // 2,000 squares of deviation 1 and 0.1 * sqrt(2) have means of these sizes, within 4 of their
  // standard errors (3 % of them).
  EXPECT_NEAR(samples.col(0).squaredNorm() / 2'000, 1.01, 0.13);
  EXPECT_NEAR((samples.col(0) - samples.col(2)).squaredNorm() / 2'000, 0.02, 0.003);
  EXPECT_NEAR((samples.col(0) - samples.col(1)).squaredNorm() / 2'000, 2.02, 0.26);
}

}  // namespace
}  // namespace mhe::lab

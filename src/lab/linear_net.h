// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear networks of one layer or two, with all samples in one batch, in double: small enough that
// what they can do is not a matter of how they were trained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "base/random.h"
#include "lab/minimise.h"

namespace mhe::lab {

using Matrix = Eigen::MatrixXd;

enum class NetLoss : std::uint8_t {
  kFrobenius,     ///< Eq. 18: half the squared distance to one-hot outputs, summed
  kCrossEntropy,  ///< of the softmax, a mean over the samples
};
enum class Bias : std::uint8_t { kNo, kYes };

/// O = W_2 W_1 F + B (Eq. 17), or O = W F + B.
struct NetShape {
  std::size_t inputs = 0;
  std::size_t width = 0;  ///< of the bottleneck, |O_b|; 0: one layer only
  std::size_t outputs = 0;
  Bias bias = Bias::kYes;

  [[nodiscard]] std::size_t parameters() const noexcept;
};

/// What is to be learned, and how.
struct NetTask {
  Matrix features;                  ///< [number][sample]
  std::vector<std::size_t> labels;  ///< [sample]: below shape.outputs
  NetShape shape;
  NetLoss loss = NetLoss::kCrossEntropy;
  double temperature = 1;  ///< cross-entropy: outputs are divided by it
};

/// [output][sample].
[[nodiscard]] Matrix net_outputs(const NetTask& task, const Vector& parameters);

/// The loss and its gradient.
[[nodiscard]] double net_loss(const NetTask& task, const Vector& parameters, Vector& gradient);

/// Weights of deviation 1 / sqrt(inputs of the layer), biases 0.
[[nodiscard]] Vector random_start(const NetShape& shape, RandomStream& random);

/// The loss as a function of the parameters; the task must outlive it.
[[nodiscard]] Function loss_of(const NetTask& task);

/// The share of samples whose label has the largest output, in per cent.
[[nodiscard]] double net_accuracy(const NetTask& task, const Matrix& outputs);

/// softmax(O / temperature), sample by sample.
[[nodiscard]] Matrix softmax_columns(const Matrix& outputs, double temperature);

/// How many singular values are above `tolerance` times the largest.
[[nodiscard]] std::size_t numerical_rank(const Matrix& matrix, double tolerance);

/// Samples around the centres of their classes, [number][sample]; sample i is of class
/// i % classes. Centres have deviation 1, samples of a class `noise`.
[[nodiscard]] Matrix gaussian_samples(RandomStream& random, std::size_t dim, std::size_t samples,
                                      std::size_t classes, double noise);

}  // namespace mhe::lab

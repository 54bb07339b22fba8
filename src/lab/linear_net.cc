// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/linear_net.h"

#include <cmath>
#include <utility>

#include <Eigen/SVD>

#include "lab/gaussian.h"

namespace mhe::lab {
namespace {

// The matrices of a network, in one vector of parameters or in its gradient.
template <class Scalars>
struct Layers {
  using Block = Eigen::Map<std::conditional_t<std::is_const_v<Scalars>, const Matrix, Matrix>>;
  using Column = Eigen::Map<std::conditional_t<std::is_const_v<Scalars>, const Vector, Vector>>;

  Layers(const NetShape& shape, Scalars* data)
      : first(data, index(shape.width == 0 ? shape.outputs : shape.width), index(shape.inputs)),
        second(first.data() + first.size(), index(shape.width == 0 ? 0 : shape.outputs),
               index(shape.width)),
        bias(second.data() + second.size(), index(shape.bias == Bias::kYes ? shape.outputs : 0)) {}

  static Eigen::Index index(std::size_t size) { return static_cast<Eigen::Index>(size); }

  Block first;   // [width or output][input]
  Block second;  // [output][width]
  Column bias;   // [output], or empty
};

Matrix outputs_of(const Layers<const double>& layers, const Matrix& hidden) {
  Matrix outputs = layers.second.size() > 0 ? Matrix(layers.second * hidden) : hidden;
  if (layers.bias.size() > 0) outputs.colwise() += layers.bias;
  return outputs;
}

// The loss; turns the outputs into the loss's gradient by them.
double output_loss(const NetTask& task, Matrix& outputs) {
  const auto samples = static_cast<double>(task.labels.size());
  double loss = 0;
  if (task.loss == NetLoss::kFrobenius) {
    for (std::size_t i = 0; i < task.labels.size(); ++i) {
      outputs(static_cast<Eigen::Index>(task.labels[i]), static_cast<Eigen::Index>(i)) -= 1;
    }
    return outputs.squaredNorm() / 2;
  }
  for (std::size_t i = 0; i < task.labels.size(); ++i) {
    auto column = outputs.col(static_cast<Eigen::Index>(i));
    column /= task.temperature;
    const auto label = static_cast<Eigen::Index>(task.labels[i]);
    const double most = column.maxCoeff();
    const double of_label = column(label);
    column = (column.array() - most).exp();
    const double sum = column.sum();
    loss += std::log(sum) + most - of_label;
    column /= sum * samples * task.temperature;
    column(label) -= 1 / (samples * task.temperature);
  }
  return loss / samples;
}

}  // namespace

std::size_t NetShape::parameters() const noexcept {
  const std::size_t biases = bias == Bias::kYes ? outputs : 0;
  return (width == 0 ? inputs * outputs : width * (inputs + outputs)) + biases;
}

Matrix net_outputs(const NetTask& task, const Vector& parameters) {
  const Layers<const double> layers(task.shape, parameters.data());
  return outputs_of(layers, layers.first * task.features);
}

double net_loss(const NetTask& task, const Vector& parameters, Vector& gradient) {
  const Layers<const double> layers(task.shape, parameters.data());
  gradient.resize(parameters.size());
  Layers<double> slopes(task.shape, gradient.data());
  const Matrix hidden = layers.first * task.features;
  Matrix by_output = outputs_of(layers, hidden);
  const double loss = output_loss(task, by_output);
  if (slopes.bias.size() > 0) slopes.bias = by_output.rowwise().sum();
  if (slopes.second.size() > 0) {
    slopes.second.noalias() = by_output * hidden.transpose();
    by_output = layers.second.transpose() * by_output;
  }
  slopes.first.noalias() = by_output * task.features.transpose();
  return loss;
}

Vector random_start(const NetShape& shape, RandomStream& random) {
  Vector start = Vector::Zero(static_cast<Eigen::Index>(shape.parameters()));
  Layers<double> layers(shape, start.data());
  const auto fill = [&](auto& layer) {
    const double size = 1 / std::sqrt(static_cast<double>(layer.cols()));
    for (double& weight : layer.reshaped()) weight = size * gaussian(random);
  };
  fill(layers.first);
  if (layers.second.size() > 0) fill(layers.second);
  return start;
}

Function loss_of(const NetTask& task) {
  return [&task](const Vector& at, Vector& gradient) { return net_loss(task, at, gradient); };
}

double net_accuracy(const NetTask& task, const Matrix& outputs) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < task.labels.size(); ++i) {
    Eigen::Index best = 0;
    outputs.col(static_cast<Eigen::Index>(i)).maxCoeff(&best);
    right += static_cast<std::size_t>(best) == task.labels[i] ? 1 : 0;
  }
  return 100 * static_cast<double>(right) / static_cast<double>(task.labels.size());
}

Matrix softmax_columns(const Matrix& outputs, double temperature) {
  Matrix shares = outputs / temperature;
  for (auto column : shares.colwise()) {
    column = (column.array() - column.maxCoeff()).exp();
    column /= column.sum();
  }
  return shares;
}

std::size_t numerical_rank(const Matrix& matrix, double tolerance) {
  const Vector values = Eigen::BDCSVD<Matrix>(matrix).singularValues();
  return static_cast<std::size_t>((values.array() > tolerance * values(0)).count());
}

Matrix gaussian_samples(RandomStream& random, std::size_t dim, std::size_t samples,
                        std::size_t classes, double noise) {
  const auto draw = [&](std::size_t columns) {
    Matrix drawn(static_cast<Eigen::Index>(dim), static_cast<Eigen::Index>(columns));
    for (double& value : drawn.reshaped()) value = gaussian(random);
    return drawn;
  };
  const Matrix centres = draw(classes);
  Matrix features = noise * draw(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    features.col(static_cast<Eigen::Index>(i)) +=
        centres.col(static_cast<Eigen::Index>(i % classes));
  }
  return features;
}

}  // namespace mhe::lab

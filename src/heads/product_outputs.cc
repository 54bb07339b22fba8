// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/product_outputs.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace mhe::heads {
namespace {

// Outputs to probabilities, in place; returns the log of the sum of exponentials, so that
// log p = output - that.
double softmax(std::span<float> outputs) {
  const float most = *std::max_element(outputs.begin(), outputs.end());
  float sum = 0;
  for (float& output : outputs) {
    output = std::exp(output - most);
    sum += output;
  }
  const float scale = 1 / sum;
  for (float& output : outputs) output *= scale;
  return static_cast<double>(most) + std::log(static_cast<double>(sum));
}

float sigmoid(float output) {
  return 1 / (1 + std::exp(-output));
}

// log(1 + e^x) without overflow.
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double sigmoid_loss(const ProductLayout& layout, std::span<const std::uint32_t> digits,
                    float weight, std::span<float> outputs) {
  const std::size_t heads = layout.num_heads();
  double loss = 0;
  // A wanted output costs softplus(-x) = softplus(x) - x; its digit may be wanted by several
  // labels, and counts once.
  const auto is_first = [&](std::size_t i) {
    for (std::size_t j = i % heads; j < i; j += heads) {
      if (digits[j] == digits[i]) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (is_first(i)) loss -= static_cast<double>(outputs[layout.begin(i % heads) + digits[i]]);
  }
  for (float& output : outputs) {
    loss += softplus(static_cast<double>(output));
    output = weight * sigmoid(output);
  }
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (is_first(i)) outputs[layout.begin(i % heads) + digits[i]] -= weight;
  }
  return loss;
}

// With one group: each head by itself.
double softmax_loss(const ProductLayout& layout, std::span<const std::uint32_t> digits,
                    float weight, std::span<float> outputs) {
  const std::size_t heads = layout.num_heads();
  const std::size_t labels = digits.size() / heads;
  const float share = weight / static_cast<float>(labels);
  double loss = 0;
  for (std::size_t h = 0; h < heads; ++h) {
    const std::span<float> head = layout.head(outputs, h);
    double wanted = 0;
    for (std::size_t i = h; i < digits.size(); i += heads) {
      wanted += static_cast<double>(head[digits[i]]);
    }
    loss += softmax(head) - wanted / static_cast<double>(labels);
    for (float& p : head) p *= weight;
    for (std::size_t i = h; i < digits.size(); i += heads) head[digits[i]] -= share;
  }
  return loss;
}

// -log p(y) of a mixture; a group's part of the gradient is its posterior r_g = p(g | y) times that
// of its own heads, and a gate's is gate_g - r_g.
class MixtureLoss {
 public:
  MixtureLoss(const ProductLayout& layout, std::span<const std::uint32_t> digits)
      : layout_(layout),
        digits_(digits),
        labels_(digits.size() / layout.num_heads()),
        posteriors_(labels_ * layout.rank()) {}

  double run(float weight, std::span<float> outputs) {
    join_logs(outputs);
    const double loss = normalize();
    const float share = weight / static_cast<float>(labels_);
    const std::span<float> gates = layout_.gates(outputs);
    for (std::size_t g = 0; g < layout_.rank(); ++g) {
      float mass = 0;
      for (std::size_t i = 0; i < labels_; ++i) mass += share * posterior(i, g);
      gates[g] = weight * gates[g] - mass;
      for (std::size_t h = 0; h < layout_.num_heads(); ++h) {
        const std::span<float> head = layout_.head(layout_.group(outputs, g), h);
        for (float& p : head) p *= mass;
        for (std::size_t i = 0; i < labels_; ++i) head[digit(i, h)] -= share * posterior(i, g);
      }
    }
    return loss;
  }

 private:
  [[nodiscard]] std::uint32_t digit(std::size_t label, std::size_t head) const {
    return digits_[label * layout_.num_heads() + head];
  }
  [[nodiscard]] float posterior(std::size_t label, std::size_t g) const {
    return static_cast<float>(posteriors_[label * layout_.rank() + g]);
  }

  // posteriors = log gate_g + sum_h log p_g^h(y_h); outputs become probabilities.
  void join_logs(std::span<float> outputs) {
    const auto add = [&](std::span<float> head, std::size_t g, const auto& place_of) {
      for (std::size_t i = 0; i < labels_; ++i) {
        posteriors_[i * layout_.rank() + g] += static_cast<double>(head[place_of(i)]);
      }
    };
    std::vector<double> log_sums(layout_.rank());
    const std::span<float> gates = layout_.gates(outputs);
    for (std::size_t g = 0; g < layout_.rank(); ++g) {
      add(gates, g, [&](std::size_t) { return g; });
      for (std::size_t h = 0; h < layout_.num_heads(); ++h) {
        const std::span<float> head = layout_.head(layout_.group(outputs, g), h);
        add(head, g, [&](std::size_t i) { return digit(i, h); });
        log_sums[g] += softmax(head);
      }
    }
    const double gate_log_sum = softmax(gates);
    for (std::size_t i = 0; i < posteriors_.size(); ++i) {
      posteriors_[i] -= log_sums[i % layout_.rank()] + gate_log_sum;
    }
  }

  // From logs to posteriors; returns the mean of -log p(y).
  double normalize() {
    double loss = 0;
    for (std::size_t i = 0; i < labels_; ++i) {
      const std::span<double> row =
          std::span(posteriors_).subspan(i * layout_.rank(), layout_.rank());
      const double most = *std::max_element(row.begin(), row.end());
      double sum = 0;
      for (double& p : row) sum += p = std::exp(p - most);
      for (double& p : row) p /= sum;
      loss -= most + std::log(sum);
    }
    return loss / static_cast<double>(labels_);
  }

  const ProductLayout& layout_;
  std::span<const std::uint32_t> digits_;
  std::size_t labels_;
  std::vector<double> posteriors_;  // [label][group]
};

}  // namespace

ProductLayout::ProductLayout(const HeadSpec& spec)
    : begins_(1, 0), rank_(spec.rank), loss_(spec.loss) {
  require(rank_ >= 1, "the rank of product heads must be at least 1, got 0");
  require(rank_ == 1 || loss_ == Loss::kSoftmax,
          "product heads of rank {} need the softmax loss; sigmoids are for rank 1", rank_);
  for (const std::uint32_t length : spec.lengths) begins_.push_back(begins_.back() + length);
}

double product_loss(const ProductLayout& layout, std::span<const std::uint32_t> digits,
                    float weight, std::span<float> outputs) {
  if (layout.loss() == Loss::kSigmoid) return sigmoid_loss(layout, digits, weight, outputs);
  if (digits.empty()) {
    std::fill(outputs.begin(), outputs.end(), 0.0F);
    return 0;
  }
  if (layout.rank() == 1) return softmax_loss(layout, digits, weight, outputs);
  return MixtureLoss(layout, digits).run(weight, outputs);
}

double product_probabilities(const ProductLayout& layout, std::span<float> outputs) {
  double log_scale = 0;
  for (std::size_t g = 0; g < layout.rank(); ++g) {
    for (std::size_t h = 0; h < layout.num_heads(); ++h) {
      const std::span<float> head = layout.head(layout.group(outputs, g), h);
      if (layout.loss() == Loss::kSoftmax) {
        softmax(head);
        continue;
      }
      double sum = 0;
      for (float& output : head) sum += static_cast<double>(output = sigmoid(output));
      for (float& p : head) p = sum > 0 ? static_cast<float>(static_cast<double>(p) / sum) : 0;
      if (sum > 0) log_scale += std::log(sum);
    }
  }
  if (layout.rank() > 1) softmax(layout.gates(outputs));
  return log_scale;
}

}  // namespace mhe::heads

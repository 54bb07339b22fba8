// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/product_outputs.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "base/check.h"
#include "base/checked.h"
#include "kernels/losses.h"
#include "kernels/rows.h"

namespace mhe::heads {
namespace {

constexpr float kLeastSum = 1e-30F;  // of sigmoids that are all next to 0

// Outputs to probabilities times `scale`, in place; returns the log of the sum of exponentials, so
// that log p = output - that.
double softmax(std::span<float> outputs, float scale = 1) {
  const kernels::MaxSum found = kernels::max_sum(outputs.data(), outputs.size());
  const double log_sum =
      static_cast<double>(found.max) + kernels::portable_log(static_cast<double>(found.sum));
  kernels::scale_exp(outputs.data(), outputs.size(), static_cast<float>(log_sum), scale);
  return log_sum;
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
  loss += static_cast<double>(kernels::scale_sigmoid(outputs.data(), outputs.size(), weight));
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
    loss += softmax(head, weight) - wanted / static_cast<double>(labels);
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
        logs_(labels_ * layout.rank()),
        posteriors_(logs_.size()) {}

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
    return posteriors_[label * layout_.rank() + g];
  }

  // logs_ = log gate_g + sum_h log p_g^h(y_h); outputs become probabilities.
  void join_logs(std::span<float> outputs) {
    const auto add = [&](std::span<float> head, std::size_t g, const auto& place_of) {
      for (std::size_t i = 0; i < labels_; ++i) {
        logs_[i * layout_.rank() + g] += static_cast<double>(head[place_of(i)]);
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
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      logs_[i] -= log_sums[i % layout_.rank()] + gate_log_sum;
    }
  }

  // From logs to posteriors; returns the mean of -log p(y).
  double normalize() {
    double loss = 0;
    for (std::size_t i = 0; i < labels_; ++i) {
      const std::span<double> logs = std::span(logs_).subspan(i * layout_.rank(), layout_.rank());
      const double most = *std::max_element(logs.begin(), logs.end());
      const std::span<float> row =
          std::span(posteriors_).subspan(i * layout_.rank(), layout_.rank());
      std::transform(logs.begin(), logs.end(), row.begin(),
                     [&](double log_p) { return static_cast<float>(log_p - most); });
      loss -= most + softmax(row);
    }
    return loss / static_cast<double>(labels_);
  }

  const ProductLayout& layout_;
  std::span<const std::uint32_t> digits_;
  std::size_t labels_;
  std::vector<double> logs_;       // [label][group]
  std::vector<float> posteriors_;  // [label][group]
};

}  // namespace

ProductLayout::ProductLayout(const HeadSpec& spec)
    : begins_(1, 0), rank_(std::get<ProductSpec>(spec.own).rank), loss_(spec.loss) {
  require(rank_ >= 1 && rank_ <= kMaxRank, "the rank of product heads must be 1 to {}, got {}",
          kMaxRank, rank_);
  require(rank_ == 1 || loss_ == Loss::kSoftmax,
          "product heads of rank {} need the softmax loss; sigmoids are for rank 1", rank_);
  constexpr std::string_view kWhat = "outputs of product heads";
  for (const std::uint32_t length : spec.lengths) {
    begins_.push_back(checked_add<std::size_t>(begins_.back(), length, kWhat));
  }
  num_outputs_ = checked_add(checked_mul(rank_, group_size(), kWhat), rank_ > 1 ? rank_ : 0, kWhat);
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

void softmax_heads(const ProductLayout& layout, std::span<float> outputs) {
  for (std::size_t g = 0; g < layout.rank(); ++g) {
    for (std::size_t h = 0; h < layout.num_heads(); ++h) {
      softmax(layout.head(layout.group(outputs, g), h));
    }
  }
  if (layout.rank() > 1) softmax(layout.gates(outputs));
}

double product_probabilities(const ProductLayout& layout, std::span<float> outputs) {
  if (layout.loss() == Loss::kSoftmax) {
    softmax_heads(layout, outputs);
    return 0;
  }
  double log_scale = 0;  // sigmoids have one group
  for (std::size_t h = 0; h < layout.num_heads(); ++h) {
    const std::span<float> head = layout.head(outputs, h);
    (void)kernels::scale_sigmoid(head.data(), head.size(), 1);
    const float sum = std::max(kernels::sum(head.data(), head.size()), kLeastSum);
    for (float& p : head) p /= sum;
    log_scale += kernels::portable_log(static_cast<double>(sum));
  }
  return log_scale;
}

}  // namespace mhe::heads

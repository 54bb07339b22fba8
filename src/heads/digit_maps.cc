// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/digit_maps.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>

#include "base/check.h"
#include "heads/find_tensor.h"

namespace mhe::heads {
namespace {

constexpr char kScales[] = "digit_scales";
constexpr char kShares[] = "digit_shares";
constexpr char kBiases[] = "digit_biases";

// A map in the making: the scale; of a powerset also the share, then the bias of each bit, the most
// significant first.
using Map = std::vector<double>;

// What each digit has of its bits by themselves, to `sums`.
void sum_bits(std::span<const float> z, std::span<float> sums) {
  sums[0] = 0;
  for (std::size_t digit = 1; digit < z.size(); ++digit) {
    const std::size_t rest = digit & (digit - 1);
    sums[digit] = sums[rest] + (z[digit - rest] - z[0]);
  }
}

// Whether every bit of a head has a bias, or all bits of all heads have one together.
enum class Bits : std::uint8_t { kEach, kAlike };

// The digits of one head in many rows.
class HeadLikelihood {
 public:
  HeadLikelihood(const ProductLayout& layout, std::size_t head, Bits bits,
                 std::span<const float> outputs, std::span<const std::uint32_t> digits)
      : layout_(layout), head_(head), bits_(bits), outputs_(outputs), digits_(digits) {}

  // Adds -log p of the rows' digits, its gradient, and the information that rows have of the map.
  double add(const Map& map, Map& gradient, std::vector<double>& information) const {
    const std::size_t rows = digits_.size() / layout_.num_heads();
    double loss = 0;
    for (std::size_t row = 0; row < rows; ++row) loss += add_row(row, map, gradient, information);
    return loss;
  }

 private:
  // Of several groups, the first: their digits differ in nothing that a map could tell.
  [[nodiscard]] std::span<const float> outputs_of(std::size_t row) const {
    const auto all = outputs_.subspan(row * layout_.num_outputs(), layout_.num_outputs());
    return layout_.head(layout_.group(all, 0), head_);
  }

  // What each parameter multiplies in the logit of a digit: [digit][parameter].
  void fill_factors(std::span<const float> z, std::size_t size, std::vector<float>& factors) const {
    factors.resize(z.size() * size);
    std::vector<float> sums(z.size());
    if (size > 1) sum_bits(z, sums);
    for (std::size_t digit = 0; digit < z.size(); ++digit) {
      float* const row = factors.data() + digit * size;
      row[0] = z[digit];
      if (size == 1) continue;
      row[1] = sums[digit];
      if (bits_ == Bits::kAlike) row[2] = static_cast<float>(std::popcount(digit));
      for (std::size_t p = 2; bits_ == Bits::kEach && p < size; ++p) {
        row[p] = static_cast<float>(digit / (z.size() >> (p - 1)) % 2);
      }
    }
  }

  double add_row(std::size_t row, const Map& map, Map& gradient,
                 std::vector<double>& information) const {
    const std::span<const float> z = outputs_of(row);
    const std::size_t n = map.size();
    std::vector<float> factors;
    fill_factors(z, n, factors);
    const auto factor = [&](std::size_t digit, std::size_t i) {
      return static_cast<double>(factors[digit * n + i]);
    };
    std::vector<double> p(z.size());
    for (std::size_t digit = 0; digit < z.size(); ++digit) {
      for (std::size_t i = 0; i < n; ++i) p[digit] += map[i] * factor(digit, i);
    }
    const std::uint32_t wanted = digits_[row * layout_.num_heads() + head_];
    const double wanted_logit = p[wanted];
    const double most = *std::max_element(p.begin(), p.end());
    double sum = 0;
    for (double& logit : p) sum += logit = std::exp(logit - most);
    Map mean(n);
    for (std::size_t digit = 0; digit < z.size(); ++digit) {
      p[digit] /= sum;
      for (std::size_t i = 0; i < n; ++i) mean[i] += p[digit] * factor(digit, i);
    }
    for (std::size_t i = 0; i < n; ++i) gradient[i] += mean[i] - factor(wanted, i);
    for (std::size_t digit = 0; digit < z.size(); ++digit) {
      for (std::size_t i = 0; i < n; ++i) {
        const double side = p[digit] * (factor(digit, i) - mean[i]);
        for (std::size_t j = 0; j <= i; ++j) {
          information[i * n + j] += side * (factor(digit, j) - mean[j]);
        }
      }
    }
    return most + std::log(sum) - wanted_logit;
  }

  const ProductLayout& layout_;
  std::size_t head_;
  Bits bits_;
  std::span<const float> outputs_;
  std::span<const std::uint32_t> digits_;
};

// Solves A x = b for a symmetric, positive definite A given by its lower half; b becomes x.
void solve(std::vector<double> a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / a[j * n + j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

// The likeliest map near `prior`, which counts as much as a few rows do. Newton's method on a
// convex function, its steps halved while they are too long.
template <class Likelihoods>
Map fit(const Likelihoods& likelihoods, const Map& prior) {
  constexpr double kWeight = 4;  // of the prior
  constexpr int kMostSteps = 50;
  constexpr double kLeastScale = 0.05;
  const auto objective = [&](const Map& map, Map& gradient, std::vector<double>& information) {
    const std::size_t n = map.size();
    gradient.assign(n, 0);
    information.assign(n * n, 0);
    double loss = 0;
    for (const HeadLikelihood& one : likelihoods) loss += one.add(map, gradient, information);
    for (std::size_t i = 0; i < n; ++i) {
      const double distance = map[i] - prior[i];
      loss += kWeight * distance * distance / 2;
      gradient[i] += kWeight * distance;
      information[i * n + i] += kWeight;
    }
    return loss;
  };
  Map map = prior;
  Map step;
  std::vector<double> information;
  double loss = objective(map, step, information);
  for (int i = 0; i < kMostSteps; ++i) {
    solve(information, step);
    Map gradient;
    Map next(map.size());
    double next_loss = 0;
    double length = 1;
    for (; length > 1e-3; length /= 2) {
      for (std::size_t p = 0; p < map.size(); ++p) next[p] = map[p] - length * step[p];
      next[0] = std::max(next[0], kLeastScale);
      next_loss = objective(next, gradient, information);
      if (next_loss <= loss) break;
    }
    if (!(next_loss < loss - 1e-9 * std::abs(loss))) break;
    map = next;
    loss = next_loss;
    step = gradient;
  }
  return map;
}

}  // namespace

std::vector<HeadTensor> DigitMaps::tensors() const {
  return {{kScales, {scales.size()}, std::span<const float>(scales)},
          {kShares, {shares.size()}, std::span<const float>(shares)},
          {kBiases, {biases.size()}, std::span<const float>(biases)}};
}

DigitMapsView DigitMapsView::find(const ProductLayout& layout, const FindTensor& find) {
  if (find(kScales) == nullptr) return {};
  return {find_floats(find, kScales, layout.num_heads()),
          find_floats(find, kShares, layout.num_heads()),
          find_floats(find, kBiases, layout.group_size())};
}

void DigitMapsView::apply(const ProductLayout& layout, std::span<float> outputs) const {
  if (scales.empty()) return;
  std::vector<float> sums;
  for (std::size_t g = 0; g < layout.rank(); ++g) {
    for (std::size_t h = 0; h < layout.num_heads(); ++h) {
      const std::span<float> head = layout.head(layout.group(outputs, g), h);
      const std::span<const float> bias = layout.head(biases, h);
      sums.assign(head.size(), 0);
      if (shares[h] != 0) sum_bits(head, sums);
      for (std::size_t i = 0; i < head.size(); ++i) {
        head[i] = scales[h] * head[i] + shares[h] * sums[i] + bias[i];
      }
    }
  }
}

DigitMaps fit_digit_maps(const HeadSpec& spec, std::span<const float> outputs,
                         std::span<const std::uint32_t> digits) {
  const ProductLayout layout(spec);
  const bool is_powerset = spec.has_code(ProductCode::kPowerset);
  std::vector<HeadLikelihood> each;
  std::vector<HeadLikelihood> alike;
  for (std::size_t h = 0; h < layout.num_heads(); ++h) {
    each.emplace_back(layout, h, Bits::kEach, outputs, digits);
    alike.emplace_back(layout, h, Bits::kAlike, outputs, digits);
  }
  const Map common = fit(std::span(alike), is_powerset ? Map{1, 0, 0} : Map{1});
  DigitMaps maps;
  for (std::size_t h = 0; h < layout.num_heads(); ++h) {
    Map prior = {common[0]};
    if (is_powerset) {
      prior.push_back(common[1]);
      prior.resize(1 + std::bit_width(layout.length(h)), common[2]);
    }
    const Map map = fit(std::span(each).subspan(h, 1), prior);
    maps.scales.push_back(static_cast<float>(map[0]));
    maps.shares.push_back(map.size() > 1 ? static_cast<float>(map[1]) : 0.0F);
    for (std::size_t digit = 0; digit < layout.length(h); ++digit) {
      double bias = 0;
      for (std::size_t p = 2; p < map.size(); ++p) {
        if (digit / (layout.length(h) >> (p - 1)) % 2 == 1) bias += map[p];
      }
      maps.biases.push_back(static_cast<float>(bias));
    }
  }
  return maps;
}

}  // namespace mhe::heads

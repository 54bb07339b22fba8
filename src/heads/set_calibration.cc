// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/set_calibration.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "heads/find_tensor.h"
#include "heads/product_targets.h"
#include "kernels/losses.h"

namespace mhe::heads {
namespace {

constexpr char kSetScales[] = "set_scales";
constexpr char kLabelScales[] = "label_scales";
constexpr char kOddsScales[] = "odds_scales";
constexpr char kLabelBiases[] = "label_biases";

// NaN becomes the lowest.
float bounded(float value) {
  constexpr float kMost = 1e30F;
  return value >= -kMost ? std::min(value, kMost) : -kMost;
}

std::size_t bits_of(std::size_t length) {
  return static_cast<std::size_t>(std::countr_zero(length));
}

HeadTensor tensor_of(const char* name, const std::vector<float>& values) {
  return {name, {values.size()}, std::span<const float>(values)};
}

}  // namespace

SetCalibration SetCalibration::none(const HeadSpec& spec) {
  const std::size_t heads = spec.lengths.size();
  return {std::vector<float>(heads, 1.0F), std::vector<float>(heads), std::vector<float>(heads),
          std::vector<float>(spec.num_labels)};
}

std::vector<HeadTensor> SetCalibration::tensors() const {
  return {tensor_of(kSetScales, set_scales), tensor_of(kLabelScales, label_scales),
          tensor_of(kOddsScales, odds_scales), tensor_of(kLabelBiases, label_biases)};
}

void LabelEvidence::set(std::span<const float> z) {
  constexpr double kLeast = 1e-30;  // no label is sure
  const std::size_t bits = bits_of(z.size());
  const kernels::MaxSum all = kernels::max_sum(z.data(), z.size());
  p_.assign(z.begin(), z.end());
  kernels::scale_exp(p_.data(), p_.size(), all.max, 1 / all.sum);
  alone_.resize(bits);
  odds_.resize(bits);
  for (std::size_t label = 0; label < bits; ++label) {
    const std::size_t bit = std::size_t{1} << (bits - 1 - label);
    alone_[label] = z[bit] - z[0];
    double with = 0;
    double without = 0;
    for (std::size_t set = 0; set < z.size(); ++set) {
      ((set & bit) != 0 ? with : without) += static_cast<double>(p_[set]);
    }
    odds_[label] = static_cast<float>(kernels::portable_log(std::max(with, kLeast)) -
                                      kernels::portable_log(std::max(without, kLeast)));
  }
}

SetCalibrationView::SetCalibrationView(const HeadSpec& spec, const FindTensor& find) {
  if (!spec.has_code(ProductCode::kPowerset) || find(kSetScales) == nullptr) return;
  (void)product_space(spec);  // each length is a power of two, and they hold all labels
  const std::size_t heads = spec.lengths.size();
  set_scales_ = find_floats(find, kSetScales, heads);
  label_scales_ = find_floats(find, kLabelScales, heads);
  odds_scales_ = find_floats(find, kOddsScales, heads);
  label_biases_ = find_floats(find, kLabelBiases, spec.num_labels);
}

void SetCalibrationView::make_probabilities(const ProductLayout& layout, std::span<float> outputs) {
  if (layout.loss() == Loss::kSigmoid) kernels::log_sigmoid(outputs.data(), outputs.size());
  for (std::size_t g = 0; g < layout.rank(); ++g) {
    std::size_t first_label = 0;
    for (std::size_t h = 0; h < layout.num_heads(); ++h) {
      const std::span<float> z = layout.head(layout.group(outputs, g), h);
      calibrate(h, first_label, z);
      first_label += bits_of(z.size());
    }
  }
  softmax_heads(layout, outputs);
}

void SetCalibrationView::calibrate(std::size_t head, std::size_t first_label, std::span<float> z) {
  evidence_.set(z);
  const std::size_t bits = bits_of(z.size());
  terms_.resize(bits);
  for (std::size_t label = 0; label < bits; ++label) {
    terms_[label] = label_scales_[head] * evidence_.alone()[label] +
                    odds_scales_[head] * evidence_.odds()[label] +
                    label_biases_[first_label + label];
  }
  // A set is its last label and the rest; the last label is the least significant bit.
  sums_.resize(z.size());
  sums_[0] = 0;
  for (std::size_t set = 1; set < z.size(); ++set) {
    sums_[set] = sums_[set & (set - 1)] + terms_[bits - 1 - bits_of(set)];
  }
  for (std::size_t set = 0; set < z.size(); ++set) {
    z[set] = bounded(set_scales_[head] * z[set] + sums_[set]);
  }
  // A softmax of very large outputs, as a damaged file may give, would lose the sum to rounding.
  constexpr float kLarge = 1e3F;
  const float most = *std::max_element(z.begin(), z.end());
  if (std::abs(most) <= kLarge) return;
  for (float& output : z) output -= most;
}

}  // namespace mhe::heads

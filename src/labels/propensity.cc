// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <mhe/label_space.h>

#include "base/check.h"

namespace mhe {

std::vector<std::uint64_t> label_counts(const Ragged<LabelId>& labels, std::size_t num_labels) {
  std::vector<std::uint64_t> counts(num_labels, 0);
  for (const LabelId label : labels.items) {
    require(index_of(label) < num_labels, "label {} is out of range; there are {} labels",
            index_of(label), num_labels);
    ++counts[index_of(label)];
  }
  return counts;
}

PropensityModel propensity_preset(std::string_view name) {
  if (name == "default") return {};
  if (name == "wikipedia") return {0.5, 0.4};
  if (name == "amazon") return {0.6, 2.6};
  fail(ErrorCode::kInvalidArgument,
       "\"{}\" is no propensity preset; expected default, wikipedia or amazon", name);
}

PropensityCurve::PropensityCurve(std::uint64_t num_examples, const PropensityModel& model)
    : model_(model) {
  require(std::isfinite(model.a) && std::isfinite(model.b) && model.a >= 0 && model.b > 0,
          "propensities need A >= 0 and B > 0, got A {} and B {}", model.a, model.b);
  const double log_examples = num_examples == 0 ? 0 : std::log(static_cast<double>(num_examples));
  c_ = std::max(0.0, log_examples - 1) * std::pow(model.b + 1, model.a);
}

double PropensityCurve::operator()(std::uint64_t count) const noexcept {
  const double log_count = std::log(static_cast<double>(count) + model_.b);
  return 1 / (1 + c_ * std::exp(-model_.a * log_count));
}

std::vector<double> propensities(std::span<const std::uint64_t> counts, std::uint64_t num_examples,
                                 const PropensityModel& model) {
  const PropensityCurve curve(num_examples, model);
  std::vector<double> result(counts.size());
  std::transform(counts.begin(), counts.end(), result.begin(), curve);
  return result;
}

}  // namespace mhe

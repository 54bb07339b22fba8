// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/fit_set_calibration.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/parallel.h"
#include "kernels/losses.h"

namespace mhe::heads {
namespace {

using Parameters = std::vector<double>;

// A head has a scale for sets, one for labels, one for their odds, then its biases.
constexpr std::size_t kScales = 3;
constexpr std::size_t kAlike = kScales + 1;  // numbers of all heads together

std::size_t bits_of_length(std::size_t length) {
  return static_cast<std::size_t>(std::countr_zero(length));
}

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

// A draw to what parameters are without rows that tell otherwise.
struct Prior {
  Parameters centre;
  double weight;  // of the squared distance, as -log p

  void add_to(SetLikelihood::Sums& sums, const Parameters& parameters) const {
    const std::size_t n = parameters.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double distance = parameters[i] - centre[i];
      sums.loss += weight / 2 * distance * distance;
      sums.gradient[i] += weight * distance;
      sums.information[i * n + i] += weight;
    }
  }
};

// What all heads have alike follows from so many digits that it is hardly held; a head of its own
// has a few hundred rows, and goes far from the others only if they insist. Weights of 0.02 to 4
// and 1 to 100 were tried: docs/decisions/0023.
constexpr double kAlikeWeight = 0.1;
constexpr double kEachWeight = 20;

// The least of a convex function and a prior, from the centre of that: Newton's method. `sum` gives
// the function.
template <class Sum>
Parameters minimize(const Prior& prior, const Sum& sum) {
  constexpr int kMostSteps = 100;
  constexpr int kMostHalvings = 20;
  const auto objective = [&](const Parameters& parameters) {
    SetLikelihood::Sums sums = sum(parameters);
    prior.add_to(sums, parameters);
    return sums;
  };
  Parameters best = prior.centre;
  SetLikelihood::Sums at_best = objective(best);
  for (int i = 0; i < kMostSteps; ++i) {
    Parameters step = at_best.gradient;
    solve(at_best.information, step);
    // Where all rows are sure, the function is flat and steps would be endless: 1 at most.
    double length = 1;
    for (const double part : step) length = std::min(length, 1 / std::max(1.0, std::abs(part)));
    Parameters next(best.size());
    SetLikelihood::Sums at_next;
    for (int halvings = 0; halvings < kMostHalvings; ++halvings, length /= 2) {
      for (std::size_t p = 0; p < best.size(); ++p) next[p] = best[p] - length * step[p];
      at_next = objective(next);
      if (at_next.loss < at_best.loss) break;
    }
    if (!(at_next.loss < at_best.loss - 1e-9 * std::abs(at_best.loss))) break;
    best = std::move(next);
    at_best = std::move(at_next);
  }
  return best;
}

// Fits with the groups' weights of rows held fixed.
class Fitter {
 public:
  Fitter(const Context& context, const ProductLayout& layout, const SetRows& rows)
      : context_(context), layout_(layout), rows_(rows) {}

  [[nodiscard]] SetCalibration fit(std::span<const double> weights) const {
    const Parameters alike = fit_alike(weights);
    std::vector<Parameters> each(layout_.num_heads());
    parallel_blocks(context_, each.size(), 1, [&](const Block& block) {
      const SetLikelihood likelihood(layout_, block.begin, SetLikelihood::Biases::kEach);
      Parameters centre(likelihood.num_parameters(), alike[kScales]);
      std::copy_n(alike.begin(), kScales, centre.begin());
      each[block.begin] = minimize({centre, kEachWeight}, [&](const Parameters& parameters) {
        return likelihood.sum(rows_, weights, parameters);
      });
    });
    SetCalibration calibration;
    for (const Parameters& head : each) {
      calibration.set_scales.push_back(static_cast<float>(head[0]));
      calibration.label_scales.push_back(static_cast<float>(head[1]));
      calibration.odds_scales.push_back(static_cast<float>(head[2]));
      for (const double bias : std::span(head).subspan(kScales)) {
        calibration.label_biases.push_back(static_cast<float>(bias));
      }
    }
    return calibration;
  }

 private:
  [[nodiscard]] Parameters fit_alike(std::span<const double> weights) const {
    const Parameters unchanged = {1, 0, 0, 0};
    return minimize({unchanged, kAlikeWeight}, [&](const Parameters& parameters) {
      std::vector<SetLikelihood::Sums> heads(layout_.num_heads());
      parallel_blocks(context_, heads.size(), 1, [&](const Block& block) {
        heads[block.begin] = SetLikelihood(layout_, block.begin, SetLikelihood::Biases::kOne)
                                 .sum(rows_, weights, parameters);
      });
      SetLikelihood::Sums all = heads.front();
      for (const SetLikelihood::Sums& head : std::span(heads).subspan(1)) {
        all.loss += head.loss;
        for (std::size_t i = 0; i < kAlike; ++i) all.gradient[i] += head.gradient[i];
        for (std::size_t i = 0; i < kAlike * kAlike; ++i) all.information[i] += head.information[i];
      }
      return all;
    });
  }

  const Context& context_;
  const ProductLayout& layout_;
  const SetRows& rows_;
};

// How likely each group made the set of each row, of all that its groups did together.
std::vector<double> share_rows(const HeadSpec& spec, const ProductLayout& layout,
                               const SetRows& rows, const SetCalibration& calibration) {
  const std::vector<HeadTensor> tensors = calibration.tensors();
  SetCalibrationView view(spec, [&](std::string_view name) -> const HeadTensor* {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const HeadTensor& tensor) { return tensor.name == name; });
    return found == tensors.end() ? nullptr : &*found;
  });
  std::vector<double> shares;
  std::vector<float> outputs;
  for (std::size_t row = 0; row * layout.num_heads() < rows.digits.size(); ++row) {
    const auto raw = rows.outputs.subspan(row * layout.num_outputs(), layout.num_outputs());
    outputs.assign(raw.begin(), raw.end());
    view.make_probabilities(layout, outputs);
    const std::span<const float> made(outputs);
    double most = -1e300;
    const std::size_t begin = shares.size();
    for (std::size_t g = 0; g < layout.rank(); ++g) {
      constexpr float kLeast = 1e-30F;
      double log_p = std::log(std::max(layout.gates(made)[g], kLeast));
      for (std::size_t h = 0; h < layout.num_heads(); ++h) {
        const std::uint32_t digit = rows.digits[row * layout.num_heads() + h];
        log_p += std::log(std::max(layout.head(layout.group(made, g), h)[digit], kLeast));
      }
      shares.push_back(log_p);
      most = std::max(most, log_p);
    }
    double sum = 0;
    for (double& share : std::span(shares).subspan(begin)) sum += share = std::exp(share - most);
    for (double& share : std::span(shares).subspan(begin)) share /= sum;
  }
  return shares;
}

float largest_change(const SetCalibration& a, const SetCalibration& b) {
  float largest = 0;
  const auto compare = [&](std::span<const float> from, std::span<const float> to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      largest = std::max(largest, std::abs(from[i] - to[i]));
    }
  };
  compare(a.set_scales, b.set_scales);
  compare(a.label_scales, b.label_scales);
  compare(a.odds_scales, b.odds_scales);
  compare(a.label_biases, b.label_biases);
  return largest;
}

}  // namespace

struct SetLikelihood::Scratch {
  LabelEvidence evidence;
  std::vector<double> factors;  // [set][parameter]: what it multiplies in the logit
  std::vector<double> p;        // [set]
  std::vector<double> mean;     // [parameter]: of the factors
};

std::size_t SetLikelihood::num_parameters() const noexcept {
  return kScales + (biases_ == Biases::kOne ? 1 : bits_of_length(layout_.length(head_)));
}

void SetLikelihood::fill_factors(std::span<const float> z, Scratch& scratch) const {
  const std::size_t n = num_parameters();
  const std::size_t bits = bits_of_length(z.size());
  scratch.evidence.set(z);
  scratch.factors.assign(z.size() * n, 0);
  for (std::size_t set = 0; set < z.size(); ++set) {
    double* const factor = scratch.factors.data() + set * n;
    factor[0] = static_cast<double>(z[set]);
    for (std::size_t label = 0; label < bits; ++label) {
      if ((set >> (bits - 1 - label)) % 2 == 0) continue;
      factor[1] += static_cast<double>(scratch.evidence.alone()[label]);
      factor[2] += static_cast<double>(scratch.evidence.odds()[label]);
      factor[biases_ == Biases::kOne ? kScales : kScales + label] += 1;
    }
  }
}

void SetLikelihood::add(std::uint32_t wanted, double weight, std::span<const double> parameters,
                        Scratch& scratch, Sums& sums) const {
  const std::size_t n = parameters.size();
  const std::size_t sets = layout_.length(head_);
  std::vector<double>& p = scratch.p;
  p.assign(sets, 0);
  for (std::size_t set = 0; set < sets; ++set) {
    for (std::size_t i = 0; i < n; ++i) p[set] += parameters[i] * scratch.factors[set * n + i];
  }
  const double wanted_logit = p[wanted];
  const double most = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double& logit : p) sum += logit = std::exp(logit - most);
  scratch.mean.assign(n, 0);
  for (std::size_t set = 0; set < sets; ++set) {
    p[set] /= sum;
    for (std::size_t i = 0; i < n; ++i) scratch.mean[i] += p[set] * scratch.factors[set * n + i];
  }
  sums.loss += weight * (most + std::log(sum) - wanted_logit);
  for (std::size_t i = 0; i < n; ++i) {
    sums.gradient[i] += weight * (scratch.mean[i] - scratch.factors[wanted * n + i]);
  }
  for (std::size_t set = 0; set < sets; ++set) {
    for (std::size_t i = 0; i < n; ++i) {
      const double side = weight * p[set] * (scratch.factors[set * n + i] - scratch.mean[i]);
      for (std::size_t j = 0; j <= i; ++j) {
        sums.information[i * n + j] += side * (scratch.factors[set * n + j] - scratch.mean[j]);
      }
    }
  }
}

SetLikelihood::Sums SetLikelihood::sum(const SetRows& rows, std::span<const double> weights,
                                       std::span<const double> parameters) const {
  const std::size_t n = parameters.size();
  Sums sums = {0, std::vector<double>(n), std::vector<double>(n * n)};
  Scratch scratch;
  for (std::size_t row = 0; row * layout_.num_heads() < rows.digits.size(); ++row) {
    const std::span<const float> outputs =
        rows.outputs.subspan(row * layout_.num_outputs(), layout_.num_outputs());
    for (std::size_t g = 0; g < layout_.rank(); ++g) {
      const double weight = weights.empty() ? 1.0 : weights[row * layout_.rank() + g];
      if (weight < 1e-6) continue;
      fill_factors(layout_.head(layout_.group(outputs, g), head_), scratch);
      add(rows.digits[row * layout_.num_heads() + head_], weight, parameters, scratch, sums);
    }
  }
  return sums;
}

std::size_t rows_to_calibrate(const HeadSpec& spec, std::size_t rows) {
  constexpr double kMostOperations = 3e8;  // for all rows once, of which a fit takes some dozens
  constexpr double kMostOutputs = 8e6;     // 32 MB
  constexpr double kLeastRows = 50;
  const ProductLayout layout(spec);
  double operations = 0;
  for (std::size_t h = 0; h < layout.num_heads(); ++h) {
    const double parameters = kScales + static_cast<double>(bits_of_length(layout.length(h)));
    operations += static_cast<double>(layout.rank() * layout.length(h)) * parameters * parameters;
  }
  const double count = std::min(kMostOperations / operations,
                                kMostOutputs / static_cast<double>(layout.num_outputs()));
  return std::min(rows, static_cast<std::size_t>(std::max(kLeastRows, count)));
}

SetCalibration fit_set_calibration(const Context& context, const HeadSpec& spec,
                                   const SetRows& rows) {
  constexpr int kMostTurns = 20;
  constexpr float kSettled = 1e-3F;  // of numbers about 1
  const ProductLayout layout(spec);
  std::vector<float> logs;
  SetRows fitted = rows;
  if (layout.loss() == Loss::kSigmoid) {
    logs.assign(rows.outputs.begin(), rows.outputs.end());
    kernels::log_sigmoid(logs.data(), logs.size());
    fitted.outputs = logs;
  }
  const Fitter fitter(context, layout, fitted);
  if (layout.rank() == 1) return fitter.fit({});
  SetCalibration calibration = SetCalibration::none(spec);
  for (int turn = 0; turn < kMostTurns; ++turn) {
    SetCalibration next = fitter.fit(share_rows(spec, layout, rows, calibration));
    const bool is_settled = largest_change(calibration, next) < kSettled;
    calibration = std::move(next);
    if (is_settled) break;
  }
  return calibration;
}

}  // namespace mhe::heads

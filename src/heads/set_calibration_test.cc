// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/set_calibration.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>

#include "base/random.h"

namespace mhe::heads {
namespace {

HeadSpec powerset_spec(std::vector<std::uint32_t> lengths, std::uint64_t labels,
                       Loss loss = Loss::kSoftmax, std::size_t rank = 1) {
  return {.num_labels = labels,
          .lengths = std::move(lengths),
          .dim = 4,
          .loss = loss,
          .own = ProductSpec{.rank = rank, .code = ProductCode::kPowerset}};
}

// A view of a calibration that outlives it.
SetCalibrationView view_of(const HeadSpec& spec, const SetCalibration& calibration) {
  const std::vector<HeadTensor> tensors = calibration.tensors();
  return {spec, [&](std::string_view name) -> const HeadTensor* {
            for (const HeadTensor& tensor : tensors) {
              if (tensor.name == name) return &tensor;
            }
            return nullptr;
          }};
}

std::vector<float> random_outputs(std::size_t size, std::uint64_t seed) {
  RandomStream random(seed, "set-calibration-test");
  std::vector<float> outputs;
  for (std::size_t i = 0; i < size; ++i) {
    outputs.push_back(static_cast<float>(6 * random.uniform() - 3));
  }
  return outputs;
}

std::vector<double> softmax_of(std::vector<double> logits) {
  double sum = 0;
  for (double& logit : logits) sum += logit = std::exp(logit);
  for (double& logit : logits) logit /= sum;
  return logits;
}

// The formula of the header, label by label. The first label is the most significant bit.
std::vector<double> reference(const std::vector<double>& z, double set_scale, double label_scale,
                              double odds_scale, std::span<const float> biases) {
  const std::vector<double> p = softmax_of(z);
  std::vector<double> logits;
  for (std::size_t set = 0; set < z.size(); ++set) {
    double logit = set_scale * z[set];
    for (std::size_t label = 0; label < biases.size(); ++label) {
      const std::size_t bit = std::size_t{1} << (biases.size() - 1 - label);
      if ((set & bit) == 0) continue;
      double with = 0;
      for (std::size_t other = 0; other < z.size(); ++other) {
        if ((other & bit) != 0) with += p[other];
      }
      logit += label_scale * (z[bit] - z[0]) + odds_scale * std::log(with / (1 - with)) +
               static_cast<double>(biases[label]);
    }
    logits.push_back(logit);
  }
  return softmax_of(logits);
}

TEST(SetCalibration, IsItsFormula) {
  const SetCalibration calibration = {
      {0.6F, 1.5F}, {0.3F, -0.4F}, {0.8F, 0.1F}, {0.5F, -1.0F, 0.25F, 2.0F, -0.5F}};
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    const HeadSpec spec = powerset_spec({8, 4}, 5, loss);
    const ProductLayout layout(spec);
    const std::vector<float> raw = random_outputs(12, 1);
    std::vector<float> made = raw;
    view_of(spec, calibration).make_probabilities(layout, made);
    for (std::size_t head = 0; head < 2; ++head) {
      std::vector<double> z;
      for (const float output : layout.head(std::span<const float>(raw), head)) {
        z.push_back(loss == Loss::kSoftmax ? double{output}
                                           : -std::log1p(std::exp(-double{output})));
      }
      const std::vector<double> expected = reference(
          z, double{calibration.set_scales[head]}, double{calibration.label_scales[head]},
          double{calibration.odds_scales[head]},
          std::span(calibration.label_biases).subspan(head == 0 ? 0 : 3, head == 0 ? 3 : 2));
      const auto found = layout.head(std::span<const float>(made), head);
      // Logits are below 20 with relative errors of some 2^-21 each.
      for (std::size_t set = 0; set < found.size(); ++set) {
        EXPECT_NEAR(double{found[set]}, expected[set], 1e-4) << head << " " << set;
      }
    }
  }
}

TEST(SetCalibration, NoneChangesNothing) {
  const HeadSpec spec = powerset_spec({8, 4}, 5, Loss::kSoftmax, 2);
  const ProductLayout layout(spec);
  std::vector<float> plain = random_outputs(layout.num_outputs(), 2);
  std::vector<float> made = plain;
  softmax_heads(layout, plain);
  view_of(spec, SetCalibration::none(spec)).make_probabilities(layout, made);
  EXPECT_EQ(made, plain);
}

TEST(SetCalibration, OfADamagedFileStillGivesDistributions) {
  const HeadSpec spec = powerset_spec({8, 4}, 5);
  const ProductLayout layout(spec);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::max()}) {
    for (int place = 0; place < 4; ++place) {
      SetCalibration calibration = SetCalibration::none(spec);
      (place == 0   ? calibration.set_scales
       : place == 1 ? calibration.label_scales
       : place == 2 ? calibration.odds_scales
                    : calibration.label_biases)[1] = bad;
      std::vector<float> outputs = random_outputs(12, 3);
      outputs[9] = std::numeric_limits<float>::lowest();  // as a search makes of NaN
      view_of(spec, calibration).make_probabilities(layout, outputs);
      for (std::size_t head = 0; head < 2; ++head) {
        const auto p = layout.head(std::span<const float>(outputs), head);
        EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-5) << bad << " " << place;
      }
    }
  }
}

TEST(SetCalibration, OfAnotherSizeIsRefused) {
  const HeadSpec spec = powerset_spec({8, 4}, 5);
  SetCalibration calibration = SetCalibration::none(spec);
  calibration.label_biases.push_back(0);
  EXPECT_THROW((void)view_of(spec, calibration), Error);
  calibration = SetCalibration::none(spec);
  calibration.odds_scales.pop_back();
  EXPECT_THROW((void)view_of(spec, calibration), Error);
  EXPECT_THROW((void)view_of(powerset_spec({8, 3}, 5), SetCalibration::none(spec)), Error);
}

TEST(SetCalibration, IsForSetsOnly) {
  HeadSpec spec = powerset_spec({8, 4}, 5);
  const SetCalibration calibration = SetCalibration::none(spec);
  EXPECT_FALSE(view_of(spec, calibration).is_none());
  EXPECT_TRUE(SetCalibrationView(spec, [](std::string_view) { return nullptr; }).is_none());
  std::get<ProductSpec>(spec.own).code = ProductCode::kDigits;
  EXPECT_TRUE(view_of(spec, calibration).is_none());
}

}  // namespace
}  // namespace mhe::heads

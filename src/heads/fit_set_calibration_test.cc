// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "heads/fit_set_calibration.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

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

Context with_threads(std::size_t threads) {
  return Context({.threads = threads});
}

struct Rows {
  std::vector<float> outputs;
  std::vector<std::uint32_t> digits;

  [[nodiscard]] SetRows view() const { return {outputs, digits}; }
};

std::uint32_t draw(std::span<const double> logits, RandomStream& random) {
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit);
  double place = random.uniform() * sum;
  for (std::size_t i = 0; i + 1 < logits.size(); ++i) {
    if ((place -= std::exp(logits[i])) < 0) return static_cast<std::uint32_t>(i);
  }
  return static_cast<std::uint32_t>(logits.size() - 1);
}

// Outputs at random, and sets drawn from their softmax times `scale`.
Rows random_rows(const HeadSpec& spec, std::size_t count, double scale, std::uint64_t seed) {
  RandomStream random(seed, "fit-set-calibration-test");
  const ProductLayout layout(spec);
  Rows rows;
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t begin = rows.outputs.size();
    for (std::size_t i = 0; i < layout.num_outputs(); ++i) {
      rows.outputs.push_back(static_cast<float>(4 * random.uniform() - 2));
    }
    const auto outputs = std::span<const float>(rows.outputs).subspan(begin);
    for (std::size_t h = 0; h < layout.num_heads(); ++h) {
      std::vector<double> logits;
      for (const float z : layout.head(layout.group(outputs, 0), h)) {
        logits.push_back(scale * double{z});
      }
      rows.digits.push_back(draw(logits, random));
    }
  }
  return rows;
}

// Mean -log p of the sets under a calibration, by the code that predicts.
double loss_of(const HeadSpec& spec, const Rows& rows, const SetCalibration& calibration) {
  const ProductLayout layout(spec);
  const std::vector<HeadTensor> tensors = calibration.tensors();
  SetCalibrationView view(spec, [&](std::string_view name) -> const HeadTensor* {
    for (const HeadTensor& tensor : tensors) {
      if (tensor.name == name) return &tensor;
    }
    return nullptr;
  });
  const std::size_t count = rows.digits.size() / layout.num_heads();
  double loss = 0;
  for (std::size_t row = 0; row < count; ++row) {
    std::vector<float> p(
        rows.outputs.begin() + static_cast<std::ptrdiff_t>(row * layout.num_outputs()),
        rows.outputs.begin() + static_cast<std::ptrdiff_t>((row + 1) * layout.num_outputs()));
    view.make_probabilities(layout, p);
    const std::span<const float> made(p);
    double likelihood = 0;
    for (std::size_t g = 0; g < layout.rank(); ++g) {
      double product = layout.rank() == 1 ? 1 : double{layout.gates(made)[g]};
      for (std::size_t h = 0; h < layout.num_heads(); ++h) {
        product *= double{
            layout.head(layout.group(made, g), h)[rows.digits[row * layout.num_heads() + h]]};
      }
      likelihood += product;
    }
    loss -= std::log(likelihood);
  }
  return loss / static_cast<double>(count);
}

TEST(SetLikelihood, HasTheDerivativesOfItsLoss) {
  const HeadSpec spec = powerset_spec({8, 4}, 5);
  const ProductLayout layout(spec);
  const Rows rows = random_rows(spec, 40, 0.7, 1);
  std::vector<double> weights;
  for (std::size_t row = 0; row < 40; ++row)
    weights.push_back(0.1 + 0.02 * static_cast<double>(row));
  for (const auto biases : {SetLikelihood::Biases::kOne, SetLikelihood::Biases::kEach}) {
    const SetLikelihood likelihood(layout, 0, biases);
    std::vector<double> at = {0.8, 0.3, -0.2, 0.4, -0.5, 0.1};
    at.resize(likelihood.num_parameters());
    const auto sums = likelihood.sum(rows.view(), weights, at);
    const std::size_t n = at.size();
    for (std::size_t i = 0; i < n; ++i) {
      constexpr double kStep = 1e-5;  // of functions about 100: errors of some 1e-6
      std::vector<double> more = at;
      std::vector<double> less = at;
      more[i] += kStep;
      less[i] -= kStep;
      const auto above = likelihood.sum(rows.view(), weights, more);
      const auto below = likelihood.sum(rows.view(), weights, less);
      EXPECT_NEAR(sums.gradient[i], (above.loss - below.loss) / (2 * kStep), 1e-4) << i;
      for (std::size_t j = 0; j <= i; ++j) {
        EXPECT_NEAR(sums.information[i * n + j],
                    (above.gradient[j] - below.gradient[j]) / (2 * kStep), 1e-4)
            << i << " " << j;
      }
    }
  }
}

TEST(FitSetCalibration, FindsTheTemperatureOfEachHead) {
  for (const double scale : {0.5, 2.0}) {
    const HeadSpec spec = powerset_spec({8, 4}, 5);
    const SetCalibration found =
        fit_set_calibration(with_threads(2), spec, random_rows(spec, 4000, scale, 2).view());
    const Rows others = random_rows(spec, 4000, scale, 3);
    SetCalibration truth = SetCalibration::none(spec);
    truth.set_scales = {static_cast<float>(scale), static_cast<float>(scale)};
    // Eleven numbers fitted to 4,000 rows cost 11 / 8,000 of a nat at others.
    EXPECT_NEAR(loss_of(spec, others, found), loss_of(spec, others, truth), 0.006);
    EXPECT_LT(loss_of(spec, others, found), loss_of(spec, others, SetCalibration::none(spec)));
  }
}

TEST(FitSetCalibration, NothingNearbyIsMoreLikely) {
  const HeadSpec spec = powerset_spec({8, 4}, 5);
  const Rows rows = random_rows(spec, 20'000, 1.6, 4);  // beside which the prior is nothing
  const SetCalibration best = fit_set_calibration(with_threads(1), spec, rows.view());
  const double least = loss_of(spec, rows, best);
  for (const float step : {-0.05F, 0.05F}) {
    for (std::size_t label = 0; label < 5; ++label) {
      SetCalibration other = best;
      other.label_biases[label] += step;
      EXPECT_GT(loss_of(spec, rows, other), least);
    }
    for (std::size_t head = 0; head < 2; ++head) {
      for (const auto scales : {&SetCalibration::set_scales, &SetCalibration::label_scales,
                                &SetCalibration::odds_scales}) {
        SetCalibration other = best;
        (other.*scales)[head] += step;
        EXPECT_GT(loss_of(spec, rows, other), least) << head;
      }
    }
  }
}

// Two labels that are independent, in a head that never learned what both look like.
TEST(FitSetCalibration, SetsThatAreNeverSeenBorrowFromTheirLabels) {
  const HeadSpec spec = powerset_spec({4}, 2);
  RandomStream random(5, "fit-set-calibration-test");
  Rows rows;
  for (int row = 0; row < 600; ++row) {
    const bool first = random.below(4) == 0;
    const bool second = random.below(4) == 0;
    // The empty set, the second label (the lower bit), the first, and both, which has no signal.
    rows.outputs.insert(rows.outputs.end(),
                        {1.0F, second ? 4.0F : -1.0F, first ? 4.0F : -1.0F, 0.0F});
    rows.digits.push_back((first ? 2U : 0U) + (second ? 1U : 0U));
  }
  const SetCalibration found = fit_set_calibration(with_threads(1), spec, rows.view());
  EXPECT_LT(loss_of(spec, rows, found), 0.05);
  EXPECT_GT(loss_of(spec, rows, SetCalibration::none(spec)), 0.3);
}

// Of two groups, one knows the sets and the other knows nothing; rows say by the gate which is
// which, so a fit to one of the groups alone would be wrong for half of the rows.
TEST(FitSetCalibration, OfSeveralGroupsEachCountsWhereItIsAskedFor) {
  const HeadSpec spec = powerset_spec({8, 4}, 5, Loss::kSoftmax, 2);
  const ProductLayout layout(spec);
  Rows rows = random_rows(spec, 3000, 2.0, 6);  // sets by the first group
  for (std::size_t row = 0; row < 3000; ++row) {
    const auto outputs =
        std::span(rows.outputs).subspan(row * layout.num_outputs(), layout.num_outputs());
    const std::span<float> gates = layout.gates(outputs);
    gates[0] = 3;
    gates[1] = -3;
    if (row % 2 == 0) continue;
    std::swap_ranges(outputs.begin(),
                     outputs.begin() + static_cast<std::ptrdiff_t>(layout.group_size()),
                     outputs.begin() + static_cast<std::ptrdiff_t>(layout.group_size()));
    std::swap(gates[0], gates[1]);
  }
  const SetCalibration found = fit_set_calibration(with_threads(2), spec, rows.view());
  SetCalibration truth = SetCalibration::none(spec);
  truth.set_scales = {2, 2};
  EXPECT_LT(loss_of(spec, rows, found), loss_of(spec, rows, truth) + 0.02);
  EXPECT_LT(loss_of(spec, rows, found), loss_of(spec, rows, SetCalibration::none(spec)) - 0.1);
}

TEST(FitSetCalibration, IsTheSameForAnyThreads) {
  for (const std::size_t rank : {1U, 2U}) {
    const HeadSpec spec = powerset_spec({8, 4, 2}, 6, Loss::kSoftmax, rank);
    const Rows rows = random_rows(spec, 300, 1.3, 7);
    const SetCalibration one = fit_set_calibration(with_threads(1), spec, rows.view());
    const SetCalibration three = fit_set_calibration(with_threads(3), spec, rows.view());
    EXPECT_EQ(one.set_scales, three.set_scales);
    EXPECT_EQ(one.label_scales, three.label_scales);
    EXPECT_EQ(one.odds_scales, three.odds_scales);
    EXPECT_EQ(one.label_biases, three.label_biases);
  }
}

TEST(FitSetCalibration, OfFewRowsChangesLittle) {
  const HeadSpec spec = powerset_spec({8, 4}, 5);
  const SetCalibration none = SetCalibration::none(spec);
  const SetCalibration of_none = fit_set_calibration(with_threads(1), spec, {});
  EXPECT_EQ(of_none.set_scales, none.set_scales);
  EXPECT_EQ(of_none.label_biases, none.label_biases);
  const Rows rows = random_rows(spec, 3, 1.0, 8);
  const SetCalibration of_three = fit_set_calibration(with_threads(1), spec, rows.view());
  for (const float scale : of_three.set_scales) {
    EXPECT_TRUE(std::isfinite(scale));
    EXPECT_NEAR(scale, 1, 3);
  }
}

TEST(FitSetCalibration, StaysFiniteWhereRowsAreSure) {
  for (const Loss loss : {Loss::kSoftmax, Loss::kSigmoid}) {
    const HeadSpec spec = powerset_spec({4}, 2, loss);
    Rows rows;
    for (std::uint32_t row = 0; row < 400; ++row) {
      for (std::uint32_t set = 0; set < 4; ++set) {
        rows.outputs.push_back(set == row % 4 ? 30.0F : -30.0F);
      }
      rows.digits.push_back(row % 4);
    }
    const SetCalibration found = fit_set_calibration(with_threads(1), spec, rows.view());
    for (const float scale : found.set_scales) EXPECT_TRUE(std::isfinite(scale));
    EXPECT_LT(loss_of(spec, rows, found), 1e-3);
  }
}

TEST(RowsToCalibrate, AreFewForLongHeads) {
  EXPECT_EQ(rows_to_calibrate(powerset_spec(std::vector<std::uint32_t>(16, 32), 80), 1000), 1000U);
  const std::size_t few = rows_to_calibrate(powerset_spec({65536, 65536}, 32), 100'000);
  EXPECT_GE(few, 50U);
  EXPECT_LT(few, 100U);
}

}  // namespace
}  // namespace mhe::heads

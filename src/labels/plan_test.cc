// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/plan.h>

#include "base/random.h"
#include "labels/head_lengths.h"

namespace mhe {
namespace {

using labels::balanced_lengths;
using labels::cascade_lengths;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Lengths = std::vector<std::uint32_t>;

TEST(BalancedLengths, CoverTheLabelsWithTheLeastSum) {
  EXPECT_THAT(balanced_lengths(1728000, 3), ElementsAre(120, 120, 120));
  EXPECT_THAT(balanced_lengths(1728000, 4), ElementsAre(37, 37, 36, 36));
  EXPECT_THAT(balanced_lengths(1728001, 3), ElementsAre(121, 120, 120));
  EXPECT_THAT(balanced_lengths(100, 2), ElementsAre(10, 10));
  EXPECT_THAT(balanced_lengths(12, 1), ElementsAre(12));
  EXPECT_THAT(balanced_lengths(std::uint64_t{1} << 62, 62), Each(2));
}

// The least sum of `heads` lengths that cover `labels`, by trying all.
std::uint64_t least_sum(std::uint64_t labels, std::size_t heads, std::uint32_t least_length) {
  if (heads == 1) return std::max<std::uint64_t>(labels, least_length);
  std::uint64_t best = ~std::uint64_t{0};
  for (std::uint32_t n = least_length; n <= std::max<std::uint64_t>(labels, 2); ++n) {
    best = std::min(best, n + least_sum((labels + n - 1) / n, heads - 1, least_length));
  }
  return best;
}

TEST(BalancedLengths, AgreeWithTryingAll) {
  for (std::uint64_t labels = 2; labels <= 150; ++labels) {
    for (std::size_t heads = 1; heads <= std::min<std::size_t>(3, labels::max_heads(labels));
         ++heads) {
      std::uint64_t sum = 0;
      std::uint64_t product = 1;
      for (const std::uint32_t n : balanced_lengths(labels, heads)) {
        sum += n;
        product *= n;
        EXPECT_GE(n, 2U);
      }
      EXPECT_GE(product, labels);
      EXPECT_EQ(sum, least_sum(labels, heads, 2)) << labels << " labels, " << heads << " heads";
    }
  }
}

TEST(BalancedLengths, RefuseHeadsWithNothingToDecide) {
  EXPECT_THROW((void)balanced_lengths(8, 4), Error);
  EXPECT_THROW((void)balanced_lengths(8, 0), Error);
  EXPECT_THROW((void)balanced_lengths(1, 1), Error);
}

TEST(CascadeLengths, ComeCloseToTheFormulaForTwoLevels) {
  // n_1 = sqrt(K * C * d_2 / d) = sqrt(10 * 10^6) = 3162.3; whole numbers near it without phantoms
  // are 3125 x 320, and 3125 + 10 * 320 = 6325 is the least whole number above 2 * 3162.3.
  EXPECT_THAT(cascade_lengths(1000000, 2, {512, 5120}), ElementsAre(3125, 320));
}

TEST(CascadeLengths, AgreeWithTryingAll) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random(seed, "cascade-lengths-test");
    const std::uint64_t labels = 5 + random.below(900);
    const labels::CascadeCost cost = {static_cast<double>(1 + random.below(20)),
                                      static_cast<double>(1 + random.below(200))};
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << labels << " labels, costs "
                                    << cost.first << " " << cost.later);
    const auto cost_of = [&](std::uint64_t a, std::uint64_t rest) {
      return static_cast<double>(a) * cost.first + static_cast<double>(rest) * cost.later;
    };
    double best_two = 1e300;
    double best_three = 1e300;
    for (std::uint64_t a = 2; a <= labels; ++a) {
      for (std::uint64_t b = 2; b <= a; ++b) {
        if (a * b >= labels) best_two = std::min(best_two, cost_of(a, b));
        const std::uint64_t c = std::max<std::uint64_t>(2, (labels + a * b - 1) / (a * b));
        if (c <= b) best_three = std::min(best_three, cost_of(a, b + c));
      }
    }
    const Lengths two = cascade_lengths(labels, 2, cost);
    ASSERT_EQ(cost_of(two[0], two[1]), best_two) << two[0] << " " << two[1];
    ASSERT_GE(two[0], two[1]);
    const Lengths three = cascade_lengths(labels, 3, cost);
    ASSERT_EQ(cost_of(three[0], three[1] + three[2]), best_three);
    ASSERT_GE(three[0], three[1]);
    ASSERT_GE(three[1], three[2]);
  }
}

TEST(CascadeLengths, WorkForEveryNumberOfHeads) {
  for (const std::uint64_t labels :
       {std::uint64_t{3}, std::uint64_t{1000}, std::uint64_t{1} << 62}) {
    for (std::size_t heads = 2; heads <= labels::max_heads(labels); ++heads) {
      const LabelSpace space(labels, cascade_lengths(labels, heads, {512, 5120}));
      EXPECT_EQ(space.num_heads(), heads);
    }
  }
}

TEST(ConfusionDegree, AgreesWithThePaper) {
  EXPECT_EQ(confusion_degree(HeadKind::kProduct, Lengths{10, 10}), 1);
  EXPECT_EQ(confusion_degree(HeadKind::kProduct, Lengths{20, 5}), 4);
  EXPECT_EQ(confusion_degree(HeadKind::kProduct, Lengths{5, 20}), 4);
  EXPECT_EQ(confusion_degree(HeadKind::kCascade, Lengths{20, 5}), 0.25);
  EXPECT_EQ(confusion_degree(HeadKind::kCascade, Lengths{10, 10}), 1);
  // (3 * 4) / 2 * 4 / 3 = 8
  EXPECT_DOUBLE_EQ(confusion_degree(HeadKind::kCascade, Lengths{2, 3, 4}), 8);
}

TEST(ConfusionDegree, OfProductHeadsIsTheGreatestOverArrangements) {
  Lengths lengths = {3, 4, 6, 9};
  const double claimed = confusion_degree(HeadKind::kProduct, lengths);
  double greatest = 0;
  do {
    greatest = std::max(greatest, confusion_degree(HeadKind::kCascade, lengths));
  } while (std::next_permutation(lengths.begin(), lengths.end()));
  EXPECT_DOUBLE_EQ(claimed, greatest);
}

TEST(PaperSettings, CoverTheirLabels) {
  EXPECT_NO_THROW(LabelSpace(3956, {172, 23}));           // Eurlex-4K
  EXPECT_NO_THROW(LabelSpace(3956, {86, 46}));            // Eurlex-4K
  EXPECT_THROW(LabelSpace(3993, {172, 23}), Error);       // the other data set of that name
  EXPECT_NO_THROW(LabelSpace(13330, {310, 43}));          // AmazonCat-13K
  EXPECT_NO_THROW(LabelSpace(13330, {155, 86}));          // AmazonCat-13K
  EXPECT_NO_THROW(LabelSpace(30938, {499, 62}));          // Wiki10-31K
  EXPECT_NO_THROW(LabelSpace(501070, {5630, 89}));        // Wiki-500K
  EXPECT_NO_THROW(LabelSpace(670091, {8377, 80}));        // Amazon-670K
  EXPECT_NO_THROW(LabelSpace(2812281, {8761, 321}));      // Amazon-3M
  EXPECT_NO_THROW(LabelSpace(10572, {881, 12}));          // CASIA
  EXPECT_NO_THROW(LabelSpace(85742, {1994, 43}));         // MS1MV2
  EXPECT_NO_THROW(LabelSpace(93431, {7187, 13}));         // MS1MV3
  EXPECT_NO_THROW(LabelSpace(1000, {40, 25}));            // ImageNet
  EXPECT_NO_THROW(LabelSpace(1U << 20, Lengths(5, 16)));  // VOC, subsets of 20
  EXPECT_EQ(LabelSpace::full(Lengths(16, 32)), LabelSpace::powerset(80, 16));  // COCO
}

PlanOptions product(std::uint64_t labels, std::size_t heads) {
  PlanOptions options;
  options.num_labels = labels;
  options.head = HeadKind::kProduct;
  options.num_heads = heads;
  return options;
}

TEST(MakePlan, CountsAProductHeadByHand) {
  PlanOptions options = product(100, 2);  // 10 + 10 rows
  options.dim = 8;
  options.batch = 4;
  options.memory_gb_per_s = 1;
  options.gflops = 1;
  const Plan plan = make_plan(options);
  EXPECT_THAT(plan.space.lengths(), ElementsAre(10, 10));
  EXPECT_EQ(plan.cost.parameters, 20 * 9);
  EXPECT_EQ(plan.cost.model_bytes, 20 * 9 * 4);
  EXPECT_EQ(plan.cost.predict_flops, 2 * 20 * 8);
  EXPECT_EQ(plan.cost.train_flops, 3 * 2 * 20 * 8);
  EXPECT_EQ(plan.cost.train_bytes, 720 + 20 * 4 + 4 * 4 * (20 + 2 * 8));
  EXPECT_DOUBLE_EQ(plan.cost.predict_us, 0.72);  // 720 bytes at 1 GB/s; 320 flops take 0.32
  EXPECT_EQ(plan.one_hot.parameters, 100 * 9);
  EXPECT_TRUE(plan.notes.empty());
}

TEST(MakePlan, CountsACascadeByHand) {
  PlanOptions options;
  options.num_labels = 100;
  options.lengths = {20, 5};
  options.dim = 8;
  options.inner_dim = 4;
  options.candidates = 3;
  options.batch = 2;
  const Plan plan = make_plan(options);
  EXPECT_EQ(plan.cost.parameters, 20 * 9 + 100 * 5 + 8 * 4);
  EXPECT_EQ(plan.cost.model_bytes, 4 * (20 * 9 + 100 * 5 + 32));
  EXPECT_EQ(plan.cost.predict_flops, 2 * (20 * 8 + 15 * 4 + 32));
  EXPECT_EQ(plan.cost.train_bytes,
            plan.cost.model_bytes + 4 * 120 + 8 * 32 + 4 * 32 + 2 * 4 * (20 + 15 + 2 * (8 + 4)));
  EXPECT_EQ(plan.confusion_degree, 0.25);
}

TEST(MakePlan, CountsASamplingHeadByHand) {
  PlanOptions options;
  options.num_labels = 95;
  options.head = HeadKind::kSampling;
  options.num_heads = 10;  // groups of 10, the last short
  options.dim = 8;
  options.batch = 3;
  const Plan plan = make_plan(options);
  EXPECT_THAT(plan.space.lengths(), ElementsAre(10, 10));
  EXPECT_EQ(plan.cost.train_flops, 3 * 2 * (3 * 10) * 8);
  EXPECT_EQ(plan.cost.predict_flops, 2 * 95 * 8);
}

TEST(MakePlan, TakesTheFewestHeadsByDefault) {
  EXPECT_THAT(make_plan(product(1728000, 0)).space.lengths(), ElementsAre(1315, 1315));
  EXPECT_EQ(make_plan(product(3, 0)).space.num_heads(), 2U);
}

TEST(MakePlan, CountsUpTo2To62Labels) {
  for (const HeadKind head : {HeadKind::kProduct, HeadKind::kCascade, HeadKind::kSampling}) {
    SCOPED_TRACE(head_kind_name(head));
    PlanOptions options;
    options.num_labels = std::uint64_t{1} << 62;
    options.head = head;
    const Plan plan = make_plan(options);
    EXPECT_EQ(plan.space.num_labels(), options.num_labels);
    EXPECT_GT(*plan.confusion_degree, 0);
    EXPECT_TRUE(std::isfinite(*plan.confusion_degree));
    EXPECT_EQ(plan.one_hot.parameters, std::ldexp(513.0, 62));
    for (const double cost :
         {plan.cost.parameters, plan.cost.model_bytes, plan.cost.train_bytes, plan.cost.train_flops,
          plan.cost.predict_flops, plan.cost.predict_bytes, plan.cost.predict_us}) {
      EXPECT_GT(cost, 0);
      EXPECT_TRUE(std::isfinite(cost));
    }
    ++options.num_labels;
    EXPECT_THROW((void)make_plan(options), Error);
  }
}

TEST(MakePlan, TakesMoreHeadsWhenTheBudgetAsks) {
  PlanOptions options = product(1000000, 0);
  const double two_heads = make_plan(options).cost.train_bytes;
  options.ram_bytes = static_cast<std::uint64_t>(two_heads) - 1;
  const Plan plan = make_plan(options);
  EXPECT_EQ(plan.space.num_heads(), 3U);
  EXPECT_LE(plan.cost.train_bytes, static_cast<double>(*options.ram_bytes));
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("1000 x 1000")));
}

TEST(MakePlan, NarrowsTheRowsOfACascadeWhenTheBudgetAsks) {
  PlanOptions options;
  options.num_labels = 1000000;
  options.ram_bytes = 2000000000;
  Plan plan = make_plan(options);
  EXPECT_EQ(plan.inner_dim, 256U);
  EXPECT_EQ(plan.space.num_heads(), 2U);
  options.ram_bytes = 400000000;
  plan = make_plan(options);
  EXPECT_EQ(plan.inner_dim, 64U);
  EXPECT_LE(plan.cost.train_bytes, 4e8);
}

TEST(MakePlan, SaysTheLeastWhenNothingFits) {
  PlanOptions options;
  options.num_labels = 1000000;
  options.ram_bytes = 1000000;
  try {
    (void)make_plan(options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kResourceLimit);
    EXPECT_THAT(error.what(), HasSubstr("at least"));
    EXPECT_THAT(error.what(), HasSubstr("1.0 MB"));
  }
  options.ram_bytes.reset();
  options.latency_us = 1e-6;
  EXPECT_THROW((void)make_plan(options), Error);
}

TEST(MakePlan, MeetsALatencyBudgetWithMoreHeads) {
  PlanOptions options = product(100000000, 0);
  options.latency_us = make_plan(options).cost.predict_us / 10;
  const Plan plan = make_plan(options);
  EXPECT_GT(plan.space.num_heads(), 2U);
  EXPECT_LE(plan.cost.predict_us, *options.latency_us);
}

TEST(MakePlan, PlansSubsetsOfBinaryLabels) {
  PlanOptions options;
  options.num_binary_labels = 80;
  options.head = HeadKind::kProduct;
  const Plan plan = make_plan(options);
  EXPECT_EQ(plan.space, LabelSpace::powerset(80, 16));
  EXPECT_EQ(plan.one_hot.parameters, std::ldexp(513.0, 80));
  options.lengths = Lengths(5, 16);
  options.num_binary_labels = 20;
  EXPECT_EQ(make_plan(options).space.num_labels(), 1U << 20);
  options.num_binary_labels = 21;
  EXPECT_THROW((void)make_plan(options), Error);
}

TEST(MakePlan, RefusesContradictions) {
  EXPECT_THROW((void)make_plan({}), Error);
  EXPECT_THROW((void)make_plan(product(1, 0)), Error);
  EXPECT_THROW((void)make_plan(product(2, 0)), Error);  // two labels cannot fill two heads
  PlanOptions options = product(100, 3);
  options.lengths = {10, 10};
  EXPECT_THROW((void)make_plan(options), Error);
  options = product(1000, 0);
  options.lengths = {10, 10};
  EXPECT_THROW((void)make_plan(options), Error);
  options = product(100, 0);
  options.candidates = 3;
  EXPECT_THROW((void)make_plan(options), Error);
  options = product(100, 0);
  options.inner_dim = 3;
  EXPECT_THROW((void)make_plan(options), Error);
  options = product(100, 2);
  options.head = HeadKind::kOneHot;
  EXPECT_THROW((void)make_plan(options), Error);
}

TEST(MakePlan, KeepsItsPromiseOverRandomOptions) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomStream random(seed, "plan-test");
    PlanOptions options;
    options.num_labels = 5 + random.below(std::uint64_t{1} << (4 + random.below(36)));
    options.head = static_cast<HeadKind>(1 + random.below(3));
    options.dim = 1 + random.below(1024);
    options.batch = 1 + random.below(1000);
    options.ram_bytes = std::uint64_t{1} << (10 + random.below(40));
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << options.num_labels << " labels, "
                                    << head_kind_name(options.head));
    try {
      const Plan plan = make_plan(options);
      EXPECT_LE(plan.cost.train_bytes, static_cast<double>(*options.ram_bytes));
      EXPECT_EQ(plan.space.num_labels(), options.num_labels);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kResourceLimit) << error.what();
    }
  }
}

TEST(Names, OfKindsRoundTrip) {
  for (const auto kind :
       {HeadKind::kOneHot, HeadKind::kProduct, HeadKind::kCascade, HeadKind::kSampling}) {
    EXPECT_EQ(parse_head_kind(head_kind_name(kind)), kind);
  }
  EXPECT_THROW((void)parse_head_kind("tree"), Error);
}

}  // namespace
}  // namespace mhe

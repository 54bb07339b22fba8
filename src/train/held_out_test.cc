// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/held_out.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/linear_model.h"
#include "predict/member_search.h"
#include "scratch_dir.h"
#include "toy_training.h"
#include "train/train_linear.h"

namespace mhe::train {
namespace {

using testing::toy_rows;
using testing::toy_set;

// A model that was trained well, and rows it has not seen.
class HeldOutTest : public ::testing::Test {
 protected:
  HeldOutTest() {
    const Context context({.threads = 1});
    LinearOptions options;
    options.lengths = {4, 5};
    options.held_out = 0;
    (void)train_on_set(context, toy_set(toy_rows(400, 20), 20), options,
                       {.out = dir_.file("m.mhe")});
    model_.emplace(model::LinearModel::open(dir_.file("m.mhe")));
  }

  testing::ScratchDir dir_;
  std::optional<model::LinearModel> model_;
  const Examples unseen_ = toy_set(toy_rows(300, 20, 2), 20).examples;
};

TEST_F(HeldOutTest, PrecisionIsThatOfARecount) {
  const Context context({.threads = 2});
  const Precision precision =
      precision_of(rank_rows(context, judged_by(model_->scorers(), unseen_)));
  predict::MemberSearch search(model_->scorers(), 20);
  std::vector<double> hits(5, 0);  // by rank
  for (std::size_t row = 0; row < unseen_.rows(); ++row) {
    const auto truth = unseen_.labels[row];
    const auto found = search.search(unseen_.features[row], 5);
    for (std::size_t rank = 0; rank < found.size(); ++rank) {
      hits[rank] += std::find(truth.begin(), truth.end(), found[rank].label) != truth.end() ? 1 : 0;
    }
  }
  const auto at = [&](std::size_t k) {
    double sum = 0;
    for (std::size_t rank = 0; rank < k; ++rank) sum += hits[rank];
    return 100 * sum / static_cast<double>(k * unseen_.rows());
  };
  EXPECT_NEAR(precision.at_1, at(1), 1e-9);
  EXPECT_NEAR(precision.at_3, at(3), 1e-9);
  EXPECT_NEAR(precision.at_5, at(5), 1e-9);
  EXPECT_GT(precision.at_1, 90);  // the data shows its labels plainly
}

TEST_F(HeldOutTest, IsTheSameForAnyThreads) {
  const Context one({.threads = 1});
  const Context four({.threads = 4});
  const RankedRows a = rank_rows(one, judged_by(model_->scorers(), unseen_));
  const RankedRows b = rank_rows(four, judged_by(model_->scorers(), unseen_));
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_TRUE(std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                         [](const metrics::ScoredHit& x, const metrics::ScoredHit& y) {
                           return x.score == y.score && x.hit == y.hit;
                         }));
}

TEST_F(HeldOutTest, CalibrationRisesWithTheScore) {
  const Context context({.threads = 1});
  const metrics::Calibration calibration =
      metrics::fit_calibration(rank_rows(context, judged_by(model_->scorers(), unseen_)).items);
  EXPECT_LT(calibration(0.0F), 0.2F);
  EXPECT_GT(calibration(1.0F), 0.8F);
}

TEST_F(HeldOutTest, TooFewRowsChooseNoPower) {
  const Context context({.threads = 1});
  const model::LinearMember& member = model_->members()[0];
  const Examples few = toy_set(toy_rows(99, 20, 2), 20).examples;
  EXPECT_EQ(choose_parent_power(context, member, few), member.search.parent_power);
}

TEST_F(HeldOutTest, TheChosenPowerIsNoWorseThanTheGiven) {
  const Context context({.threads = 1});
  model::LinearMember member = model_->members()[0];
  const std::span<const model::LinearMember> members(&member, 1);
  member.search.parent_power = 90;  // only the first level counts
  const double given = precision_of(rank_rows(context, judged_by(members, unseen_))).at_5;
  member.search.parent_power = choose_parent_power(context, member, unseen_);
  EXPECT_GT(precision_of(rank_rows(context, judged_by(members, unseen_))).at_5, given);
  EXPECT_LE(member.search.parent_power, 1.0F);
}

}  // namespace
}  // namespace mhe::train

// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/validation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/train.h>

#include "model/model.h"
#include "predict/ranker.h"
#include "scratch_dir.h"
#include "toy_model.h"
#include "toy_training.h"

namespace mhe::train {
namespace {

using testing::toy_rows;
using testing::toy_set;

// A model that was trained well, and rows it has not seen.
class ValidationTest : public ::testing::Test {
 protected:
  ValidationTest() {
    const Context context({.threads = 1});
    TrainOptions options;
    options.lengths = {4, 5};
    options.held_out = 0;
    (void)train_model(context, testing::toy_data(toy_rows(400, 20), 20), options,
                      {.out = dir_.file("m.mhe")});
    model_ = model::Model::open(dir_.file("m.mhe"));
  }

  testing::ScratchDir dir_;
  std::unique_ptr<const model::Model> model_;
  const Examples unseen_ = toy_set(toy_rows(300, 20, 2), 20).examples;
};

TEST_F(ValidationTest, PrecisionIsThatOfARecount) {
  const Context context({.threads = 2});
  const Precision precision =
      precision_of(rank_rows(context, ranking_of(model_->members(), unseen_)));
  predict::Ranker ranker(model_->members(), 20);
  std::vector<double> hits(5, 0);  // by rank
  for (std::size_t row = 0; row < unseen_.rows(); ++row) {
    const auto truth = unseen_.labels[row];
    const SparseRow one = unseen_.features[row];
    ranker.begin(SparseRows{{&one, 1}});
    const auto found = ranker.rank(0, {.labels = 5});
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

TEST_F(ValidationTest, IsTheSameForAnyThreads) {
  const Context one({.threads = 1});
  const Context four({.threads = 4});
  const RankedRows a = rank_rows(one, ranking_of(model_->members(), unseen_));
  const RankedRows b = rank_rows(four, ranking_of(model_->members(), unseen_));
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_TRUE(std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                         [](const metrics::ScoredHit& x, const metrics::ScoredHit& y) {
                           return x.score == y.score && x.hit == y.hit;
                         }));
}

TEST_F(ValidationTest, CalibrationRisesWithTheScore) {
  const Context context({.threads = 1});
  const metrics::Calibration calibration =
      metrics::fit_calibration(rank_rows(context, ranking_of(model_->members(), unseen_)).items);
  EXPECT_LT(calibration(0.0F), 0.2F);
  EXPECT_GT(calibration(1.0F), 0.8F);
}

TEST_F(ValidationTest, TooFewRowsChooseNoPower) {
  const Context context({.threads = 1});
  const model::Cascade& cascade = testing::linear_member(*model_).cascades()[0];
  const Examples few = toy_set(toy_rows(99, 20, 2), 20).examples;
  EXPECT_EQ(choose_parent_weight(context, cascade, few), cascade.search.parent_power);
}

TEST_F(ValidationTest, TheChosenPowerIsNoWorseThanTheGiven) {
  const Context context({.threads = 1});
  model::Cascade cascade = testing::linear_member(*model_).cascades()[0];
  const auto precision = [&] {
    return precision_of(rank_rows(context, ranking_of(model::LinearMember({cascade}), unseen_)))
        .at_5;
  };
  cascade.search.parent_power = 90;  // only the first level counts
  const double given = precision();
  cascade.search.parent_power = choose_parent_weight(context, cascade, unseen_);
  EXPECT_GT(precision(), given);
  EXPECT_LE(cascade.search.parent_power, 1.0F);
}

}  // namespace
}  // namespace mhe::train

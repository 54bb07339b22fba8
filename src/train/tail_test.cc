// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranking in favour of rare labels, with a model that was trained; src/predict knows no training.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/predict.h>
#include <mhe/train.h>

#include "model/linear_member.h"
#include "model/model.h"
#include "predict/tail_weights.h"
#include "scratch_dir.h"
#include "toy_training.h"

namespace mhe::predict {
namespace {

class TailTest : public ::testing::Test {
 protected:
  TailTest() {
    const Context context({.threads = 1});
    TrainOptions options;
    options.ensemble = 2;
    options.held_out = 0.1;
    options.sweeps = 3;
    (void)train_model(context, testing::toy_data(testing::toy_rows(400, 30), 30), options,
                      {.out = dir_.file("m.mhe")});
    model_ = model::Model::open(dir_.file("m.mhe"));
  }

  testing::ScratchDir dir_;
  std::unique_ptr<const model::Model> model_;
  const train::Examples rows_ = testing::toy_set(testing::toy_rows(50, 30, 2), 30).examples;
};

TEST_F(TailTest, RanksByWeightedProbabilitiesAndKeepsThem) {
  constexpr double kTail = 0.5;
  Session plain(Model::open(dir_.file("m.mhe")));
  Session tailed(Model::open(dir_.file("m.mhe")));
  const TailWeights weights(model_->label_counts(), model_->training_rows(), kTail);
  bool differs = false;
  for (std::size_t row = 0; row < rows_.rows(); ++row) {
    // All labels, so that both look at the same ones.
    const auto found = tailed.predict(rows_.features[row], {.k = 30, .tail = kTail});
    const auto known = plain.predict(rows_.features[row], {.k = 30});
    std::vector<ScoredLabel> expected(known.begin(), known.end());
    const auto score = [&](const ScoredLabel& p) { return p.score * weights(p.label); };
    std::stable_sort(expected.begin(), expected.end(), [&](const auto& a, const auto& b) {
      const float score_a = score(a);
      const float score_b = score(b);
      return score_a != score_b ? score_a > score_b : a.label < b.label;
    });
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].label, expected[i].label);
      EXPECT_EQ(found[i].score, expected[i].score);
      differs = differs || found[i].label != known[i].label;
    }
  }
  EXPECT_TRUE(differs);  // or the test shows nothing
}

TEST_F(TailTest, AShorterListIsTheBeginningOfALongerOne) {
  Session tailed(Model::open(dir_.file("m.mhe")));
  for (std::size_t row = 0; row < rows_.rows(); ++row) {
    const auto ten = tailed.predict(rows_.features[row], {.k = 10, .tail = 1});
    const std::vector<ScoredLabel> longer(ten.begin(), ten.end());
    const auto two = tailed.predict(rows_.features[row], {.k = 2, .tail = 1});
    ASSERT_EQ(two.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(two[i].label, longer[i].label);
  }
}

TEST_F(TailTest, BeyondItsRangeIsRefused) {
  EXPECT_THROW(Session(Model::open(dir_.file("m.mhe"))).check({.tail = 2}), Error);
}

}  // namespace
}  // namespace mhe::predict

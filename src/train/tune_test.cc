// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/tune.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/train.h>

#include "base/random.h"
#include "scratch_dir.h"
#include "toy_training.h"

namespace mhe::train {
namespace {

using testing::toy_rows;
using testing::toy_set;

constexpr std::uint32_t kLabels = 20;

// Rows of which `share` carry a wrong label and features that mean nothing.
std::vector<testing::ToyRow> noisy_rows(std::size_t count, double share) {
  std::vector<testing::ToyRow> rows = toy_rows(count, kLabels);
  RandomStream random(7, "tune_test");
  for (testing::ToyRow& row : rows) {
    if (random.uniform() < share) {
      row.labels = {static_cast<std::uint32_t>(random.below(kLabels))};
    }
    for (int i = 0; i < 20 * share; ++i) {
      row.entries[static_cast<std::uint32_t>(random.below(3 * kLabels))] =
          static_cast<float>(0.5 + random.uniform());
    }
  }
  return rows;
}

float chosen_weight(const std::vector<testing::ToyRow>& rows, std::size_t threads) {
  const Context context({.threads = threads});
  const TrainingSet set = toy_set(rows, kLabels);
  TrainOptions options;
  options.lengths = {4, 5};
  return choose_loss_weight(context, set.examples, {kLabels},
                            resolve_linear(options, set.examples.features, set.names.size()));
}

TEST(ChooseLossWeight, IsSmallerWhereLabelsAreNoisy) {
  const float noisy = chosen_weight(noisy_rows(600, 0.5), 1);
  EXPECT_LT(noisy, 1);
  EXPECT_LE(noisy, chosen_weight(noisy_rows(600, 0), 1));
}

TEST(ChooseLossWeight, DoesNotDependOnThreads) {
  const auto rows = noisy_rows(1000, 0.3);
  EXPECT_EQ(chosen_weight(rows, 1), chosen_weight(rows, 4));
}

TEST(ChooseLossWeight, LeavesItWhereRowsAreTooFewToTell) {
  EXPECT_EQ(chosen_weight(noisy_rows(100, 0.6), 1), 1);
}

class TuneTest : public ::testing::Test {
 protected:
  // What a training tried; the model's own options follow from it.
  [[nodiscard]] std::vector<Trial> tune_with(double seconds, TrainOptions options = {}) {
    options.head = "cascade";  // by rule so few rows get no tree
    report_ = train_model(context_, testing::read_from(data_), options,
                          {.out = dir_.file("m.mhe"), .tune_seconds = seconds});
    return report_.trials;
  }
  static std::size_t count(const std::vector<Trial>& trials, const std::string& word) {
    return static_cast<std::size_t>(std::count_if(
        trials.begin(), trials.end(),
        [&](const Trial& trial) { return trial.setting.find(word) != std::string::npos; }));
  }

  testing::ScratchDir dir_;
  const Context context_{{.threads = 1}};
  const std::string data_ = dir_.write("train.txt", svmlight(noisy_rows(600, 0.5)));
  TrainReport report_;
};

TEST_F(TuneTest, KeepsWhatRanksUnseenRowsBetter) {
  const std::vector<Trial> trials = tune_with(1e6);
  ASSERT_FALSE(trials.empty());
  EXPECT_EQ(trials[0].setting, "as given");
  double best = 0;
  for (const Trial& trial : trials) {
    if (trial.kept) {
      EXPECT_GT(trial.quality, best) << trial.setting;
      best = trial.quality;
    }
  }
  EXPECT_LT(report_.encoders[0].loss_weight, 1);
  EXPECT_GT(count(trials, "leaf"), 0U);
  EXPECT_GT(count(trials, "candidates"), 0U);
}

TEST_F(TuneTest, LeavesOptionsThatWereGiven) {
  TrainOptions options;
  options.set("loss_weight", "3");
  options.leaf = 11;  // a value other than the default is as good as named
  const std::vector<Trial> trials = tune_with(1e6, options);
  EXPECT_EQ(count(trials, "loss weight"), 0U);
  EXPECT_EQ(count(trials, "leaf"), 0U);
  EXPECT_GT(count(trials, "candidates"), 0U);
  EXPECT_EQ(report_.encoders[0].loss_weight, 3);
  EXPECT_EQ(report_.encoders[0].lengths.back(), 11U);
}

TEST_F(TuneTest, EndsWhenTimeIsOver) {
  EXPECT_EQ(tune_with(1e-9).size(), 1U);
}

TEST_F(TuneTest, RefusesAPipe) {
  try {
    (void)train_model(context_, testing::read_from("-"), TrainOptions(),
                      {.out = dir_.file("m.mhe"), .tune_seconds = 1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "tuning reads the data several times; expected a file, found standard input");
  }
}

TEST(TuneText, TriesOtherTextFeatures) {
  const testing::ScratchDir dir;
  std::string lines;
  for (const testing::ToyRow& row : toy_rows(300, kLabels)) {
    lines += fmt::format("__label__{}", row.labels[0]);
    for (const auto& [feature, value] : row.entries) lines += fmt::format(" word{}", feature);
    lines += "\n";
  }
  const Context context({.threads = 2});
  TrainRun run;
  run.out = dir.file("m.mhe");
  run.tune_seconds = 1e6;
  const TrainReport report =
      train_model(context, testing::read_from(dir.write("t.txt", lines)), TrainOptions(), run);
  const auto tried = [&](const std::string& setting) {
    return std::any_of(report.trials.begin(), report.trials.end(),
                       [&](const Trial& trial) { return trial.setting == setting; });
  };
  EXPECT_TRUE(tried("word n-grams to 1"));
  EXPECT_TRUE(tried("weight 1.4 of text's own features"));
  EXPECT_EQ(report.rows, 300U);
}

}  // namespace
}  // namespace mhe::train

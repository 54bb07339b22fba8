// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/train_learned.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mhe/error.h>
#include <mhe/predict.h>

#include "learned_training.h"
#include "model/model.h"

namespace mhe::train {
namespace {

using testing::LearnedSetup;
using testing::toy_rows;
using testing::toy_set;

constexpr std::uint32_t kLabels = testing::kLearnedLabels;

class TrainLearnedTest : public ::testing::Test, protected testing::LearnedTraining {
 protected:
  static LearnedSetup with_threads(std::size_t threads) {
    LearnedSetup setup;
    setup.threads = threads;
    return setup;
  }
  static LearnedSetup with_run(LearnedRun run) {
    LearnedSetup setup;
    setup.run = std::move(run);
    return setup;
  }
};

constexpr const char* kEncoders[] = {"bag", "dense"};
constexpr const char* kHeads[] = {"onehot", "product", "cascade", "sampling"};

TEST_F(TrainLearnedTest, LearnsWithEveryEncoderAndHead) {
  for (const char* encoder : kEncoders) {
    for (const char* head : kHeads) {
      LearnedOptions options = quick(encoder, head);
      options.epochs = 20;
      const LearnedReport report = train(options);
      ASSERT_TRUE(report.precision);
      // Labels show in features of their own, so nearly all first labels are found; at random one
      // in 30 would be.
      EXPECT_GT(report.precision->at_1, 70) << encoder << " " << head;
      EXPECT_LT(report.epochs[0].back().loss, report.epochs[0].front().loss);
      const auto model = model::Model::open(dir.file("m.mhe"));
      EXPECT_EQ(model->num_labels(), kLabels);
      EXPECT_EQ(model->input_kind(),
                std::string(encoder) == "bag" ? InputKind::kSparse : InputKind::kDense);
    }
  }
}

TEST_F(TrainLearnedTest, TwoLabelsAreLearntWithoutLevels) {
  LearnedOptions options = quick("bag", "auto");
  const auto train_two = [&] {
    LearnedRun run;
    run.out = dir.file("m.mhe");
    return train_learned_on_set(Context({.threads = 1}), toy_set(toy_rows(100, 2), 2), options,
                                run);
  };
  const LearnedReport report = train_two();
  EXPECT_EQ(report.plan.head.kind(), HeadKind::kOneHot);
  EXPECT_NE(dir.read("m.mhe").find(R"(\"head\":\"onehot\")"), std::string::npos);
  options.head = "cascade";
  EXPECT_EQ(code_of([&] { (void)train_two(); }), ErrorCode::kInvalidArgument);
}

TEST_F(TrainLearnedTest, PredictsSetsOfLabels) {
  LearnedOptions options = quick("bag", "product");
  options.powerset = true;
  options.candidates = -1;
  options.epochs = 40;
  options.lengths = {32, 32, 32, 32, 32, 32};
  const LearnedReport report = train(options);
  EXPECT_GT(report.precision->at_1, 70);
  EXPECT_EQ(report.plan.head.num_labels, kLabels);
  options.lengths.clear();  // 5 bits a head by rule
  options.epochs = 1;
  EXPECT_EQ(train(options).plan.head.lengths, std::vector<std::uint32_t>(6, 32));
  options.lengths = {32, 32};
  EXPECT_EQ(code_of([&] { (void)train(options); }), ErrorCode::kInvalidArgument);
  options = quick("bag", "cascade");
  options.powerset = true;
  EXPECT_EQ(code_of([&] { (void)train(options); }), ErrorCode::kInvalidArgument);
}

TEST_F(TrainLearnedTest, GivesTheSameFileForAnyThreads) {
  for (const char* encoder : kEncoders) {
    for (const char* head : kHeads) {
      LearnedOptions options = quick(encoder, head);
      options.epochs = 2;
      options.network.hidden_layers = 2;
      EXPECT_TRUE(trained(options, with_threads(1)) == trained(options, with_threads(3)))
          << encoder << " " << head;
    }
  }
}

TEST_F(TrainLearnedTest, PredictsFromTheFileWhatItFoundBefore) {
  const LearnedOptions options = quick("bag", "cascade");
  const LearnedReport report = train(options);
  const Context context({.threads = 1});
  TrainingSet set = toy_set(toy_rows(400, kLabels), kLabels);
  const Examples held_out = hold_out(set.examples, report.judged_rows, context.seed());
  Session session(Model::open(dir.file("m.mhe")));
  std::size_t hits = 0;
  for (std::size_t row = 0; row < held_out.rows(); ++row) {
    const auto found = session.predict(held_out.features[row], {.k = 1});
    const auto truth = held_out.labels[row];
    hits += std::find(truth.begin(), truth.end(), found[0].label) != truth.end() ? 1 : 0;
  }
  EXPECT_DOUBLE_EQ(100.0 * static_cast<double>(hits) / static_cast<double>(held_out.rows()),
                   report.precision->at_1);
}

TEST_F(TrainLearnedTest, SaysThatTheLossDiverged) {
  LearnedOptions options = quick("dense", "onehot");
  options.table_rule = "sgd";
  options.layer_rule = "sgd";
  options.learning_rate = 1e6F;
  options.layer_rate = 1e6F;
  EXPECT_EQ(code_of([&] { (void)train(options); }), ErrorCode::kDiverged);
}

// Rates rise until the loss runs away; a training that went through good epochs before keeps the
// last of them.
TEST_F(TrainLearnedTest, GoesOnFromTheLastGoodEpochWithASmallerRate) {
  LearnedOptions options = quick("bag", "onehot");
  options.table_rule = "sgd";
  options.layer_rule = "sgd";
  options.schedule = "constant";
  options.warmup = 1;
  options.epochs = 20;
  options.learning_rate = 1000;
  options.start = "random";  // better starts do not run away
  LearnedRun run;
  run.checkpoint_every = 1;
  EXPECT_EQ(code_of([&] { (void)train(options, with_run(run)); }), ErrorCode::kDiverged);
  ASSERT_TRUE(std::filesystem::exists(dir.file("m.mhe.resume")));
  options.learning_rate = 0.1F;
  run.resume = true;
  const LearnedReport report = train(options, with_run(run));
  EXPECT_GE(report.resumed_epochs, 1U);
  EXPECT_EQ(report.epochs[0].size(), options.epochs);
}

TEST_F(TrainLearnedTest, SaysThatTheCodeEpochsDiverged) {
  LearnedOptions options = quick("bag", "product");
  options.candidates = -1;
  options.redundant_heads = 4;
  options.code_epochs = 2;
  options.loss = "softmax";
  options.table_rule = "sgd";
  options.learning_rate = 1e9F;
  EXPECT_EQ(code_of([&] { (void)train(options); }), ErrorCode::kDiverged);
}

TEST_F(TrainLearnedTest, PlansTheSizeOfTheFileForEveryRank) {
  for (const std::size_t rank : {1U, 8U}) {
    LearnedOptions options = quick("bag", "product");
    options.candidates = -1;
    options.rank = rank;
    options.loss = "softmax";
    options.network.dim = 256;  // so that the header is little against the rows
    options.epochs = 1;
    const LearnedReport report = train(options);
    const auto bytes = static_cast<double>(std::filesystem::file_size(dir.file("m.mhe")));
    EXPECT_NEAR(static_cast<double>(report.plan.model_bytes), bytes, 0.15 * bytes) << rank;
  }
}

// Steps do not depend on how many follow, so that fewer epochs give the weights of an earlier one.
LearnedOptions with_steady_rates(LearnedOptions options) {
  options.schedule = "constant";
  options.warmup = 0;
  return options;
}

TEST_F(TrainLearnedTest, KeepsTheBestEpoch) {
  LearnedOptions options = with_steady_rates(quick("bag", "onehot"));
  options.epochs = 30;
  options.patience = 2;
  const LearnedReport report = train(options);
  const std::vector<EpochReport>& epochs = report.epochs[0];
  std::size_t best = 0;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    ASSERT_TRUE(epochs[i].quality);
    if (*epochs[i].quality > *epochs[best].quality) best = i;
  }
  ASSERT_EQ(epochs.size(), best + 3) << "it has to stop early for this test";
  const std::vector<float> kept = read_tensor("member0.head.table");
  options.patience = 0;
  options.epochs = epochs.size();
  EXPECT_NE(tensor_of("member0.head.table", options), kept);
  options.epochs = best + 1;
  EXPECT_EQ(tensor_of("member0.head.table", options), kept);
}

TEST_F(TrainLearnedTest, AveragesTheWeightsOfTheLastEpochs) {
  LearnedOptions options = with_steady_rates(quick("bag", "cascade"));
  for (const std::string name : {"member0.head.level1.table", "member0.head.level2.bias",
                                 "member0.encoder.layer0.weights"}) {
    std::vector<double> mean;
    for (options.epochs = 2; options.epochs <= 4; ++options.epochs) {
      const std::vector<float> values = tensor_of(name, options);
      mean.resize(values.size());
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += static_cast<double>(values[i]) / 3;
    }
    options.epochs = 4;
    options.swa = 0.6;  // of 4 epochs, rounded up: 3
    const std::vector<float> averaged = tensor_of(name, options);
    options.swa = 0;
    ASSERT_EQ(averaged.size(), mean.size());
    // Three floats of size 1 or so are added up.
    for (std::size_t i = 0; i < mean.size(); ++i) ASSERT_NEAR(averaged[i], mean[i], 1e-6) << name;
  }
}

TEST_F(TrainLearnedTest, EnsemblesScoreTheMeanOfTheirMembers) {
  LearnedOptions options = quick("bag", "onehot");
  options.held_out = 0;  // scores stay what the heads say
  const TrainingSet set = toy_set(toy_rows(400, kLabels), kLabels);
  const auto scores_of = [&](std::uint64_t seed) {
    LearnedSetup setup;
    setup.seed = seed;
    (void)train(options, setup);
    Session session(Model::open(this->model()));
    std::vector<double> scores(kLabels);
    for (const auto& found : session.predict(set.examples.features[0], {.k = kLabels})) {
      scores[index_of(found.label)] = found.score;
    }
    return scores;
  };
  const std::vector<double> first = scores_of(5);
  const std::vector<double> second = scores_of(5 + 0x10001);
  options.ensemble = 2;
  const std::vector<double> both = scores_of(5);
  for (std::size_t label = 0; label < kLabels; ++label) {
    EXPECT_NE(first[label], second[label]);
    EXPECT_NEAR(both[label], (first[label] + second[label]) / 2, 1e-6);
  }
}

TEST_F(TrainLearnedTest, StaysWithinABudgetOrRefuses) {
  const LearnedOptions options = quick("bag", "onehot");
  LearnedRun run;
  run.ram_bytes = 1000;
  EXPECT_EQ(code_of([&] { (void)train(options, with_run(run)); }), ErrorCode::kResourceLimit);
  EXPECT_EQ(dir.num_entries(), 0U);
}

TEST_F(TrainLearnedTest, RefusesDataOfAnotherKindAndOptionsThatCannotBe) {
  const Context context({.threads = 1});
  LearnedRun run;
  run.out = dir.file("m.mhe");
  const auto set = [&] { return toy_set(toy_rows(100, kLabels), kLabels); };
  EXPECT_EQ(
      code_of([&] { (void)train_learned_on_set(context, set(), quick("dense", "onehot"), run); }),
      ErrorCode::kInvalidData);
  const std::vector<std::function<void(LearnedOptions&)>> wrong = {
      [](auto& options) { options.head = "tree"; },
      [](auto& options) {
        options.lengths = {2, 2};
      },
      [](auto& options) { options.dropout = 1; },
      [](auto& options) { options.schedule = "sine"; },
      [](auto& options) { options.rank = 2; },
      [](auto& options) { options.candidates = 6; },  // of 5 groups
      [](auto& options) { options.swa = 0.5, options.patience = 1; },
      [](auto& options) { options.held_out = 0, options.patience = 1; },
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    LearnedOptions options = quick("bag", "cascade");
    wrong[i](options);
    EXPECT_EQ(code_of([&] { (void)train_learned_on_set(context, set(), options, run); }),
              ErrorCode::kInvalidArgument)
        << i;
  }
}

}  // namespace
}  // namespace mhe::train

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

#include "predict/predictor.h"
#include "scratch_dir.h"
#include "toy_training.h"

namespace mhe::train {
namespace {

using testing::toy_rows;
using testing::toy_set;

constexpr std::uint32_t kLabels = 30;

// The rows of toy_set() as dense vectors.
TrainingSet dense_set(const std::vector<testing::ToyRow>& rows) {
  TrainingSet set = toy_set(rows, kLabels);
  const SparseMatrix features = std::move(set.examples.features);
  set.examples.features = SparseMatrix();
  set.examples.dense.num_columns = features.num_columns;
  set.examples.dense.values.assign(features.rows() * features.num_columns, 0.0F);
  for (std::size_t row = 0; row < features.rows(); ++row) {
    for (std::size_t i = 0; i < features[row].size(); ++i) {
      set.examples.dense.values[row * features.num_columns + features[row].columns[i]] =
          features[row].values[i];
    }
  }
  return set;
}

class TrainLearnedTest : public ::testing::Test {
 protected:
  static LearnedOptions quick(const std::string& encoder, const std::string& head) {
    LearnedOptions options;
    options.encoder = encoder;
    options.head = head;
    options.dim = 24;
    options.epochs = 6;
    options.batch = 32;
    if (head == "cascade") {
      options.candidates = 3;
      options.lengths = {5, 6};
    }
    if (head == "sampling") options.lengths = {6, 5};
    options.held_out = 0.1;
    options.dropout = 0.1F;
    if (encoder == "dense") options.learning_rate = 0.005F;  // the rule is for more steps
    return options;
  }
  LearnedReport train(const LearnedOptions& options, std::size_t threads = 2, LearnedRun run = {}) {
    const Context context({.threads = threads});
    if (run.out.empty()) run.out = dir_.file("m.mhe");
    const std::vector<testing::ToyRow> rows = toy_rows(400, kLabels);
    return train_learned_on_set(
        context, options.encoder == "dense" ? dense_set(rows) : toy_set(rows, kLabels), options,
        run);
  }
  std::string trained(const LearnedOptions& options, std::size_t threads = 2, LearnedRun run = {}) {
    (void)train(options, threads, std::move(run));
    return dir_.read("m.mhe");
  }
  static ErrorCode code_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::kInternal;
  }

  testing::ScratchDir dir_;
};

constexpr const char* kEncoders[] = {"bag", "dense"};
constexpr const char* kHeads[] = {"onehot", "cascade", "sampling"};

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
      const auto model = model::Model::open(dir_.file("m.mhe"));
      EXPECT_EQ(model->num_labels(), kLabels);
      EXPECT_EQ(model->input_kind(),
                std::string(encoder) == "bag" ? data::InputKind::kSparse : data::InputKind::kDense);
    }
  }
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
      options.hidden_layers = 2;
      EXPECT_TRUE(trained(options, 1) == trained(options, 3)) << encoder << " " << head;
    }
  }
}

TEST_F(TrainLearnedTest, PredictsFromTheFileWhatItFoundBefore) {
  const LearnedOptions options = quick("bag", "cascade");
  const LearnedReport report = train(options);
  const Context context({.threads = 1});
  const auto model = model::Model::open(dir_.file("m.mhe"));
  TrainingSet set = toy_set(toy_rows(400, kLabels), kLabels);
  const Examples held_out = hold_out(set.examples, report.judged_rows, context.seed());
  predict::Predictor predictor(*model);
  std::size_t hits = 0;
  for (std::size_t row = 0; row < held_out.rows(); ++row) {
    const auto found = predictor.predict(held_out.features[row], 1);
    const auto truth = held_out.labels[row];
    hits += std::find(truth.begin(), truth.end(), found[0].label) != truth.end() ? 1 : 0;
  }
  EXPECT_DOUBLE_EQ(100.0 * static_cast<double>(hits) / static_cast<double>(held_out.rows()),
                   report.precision->at_1);
}

// Interrupted at every step from the first on, by a flag that a person would set.
TEST_F(TrainLearnedTest, GoesOnToTheSameBitsHoweverOftenItIsInterrupted) {
  for (const std::string kind : {"plain", "swa", "patience", "ensemble"}) {
    LearnedOptions options = quick("bag", "cascade");
    options.epochs = 3;
    options.batch = 100;
    if (kind == "swa") options.swa = 0.7;
    if (kind == "patience") options.patience = 1;
    if (kind == "ensemble") options.ensemble = 2;
    const std::string whole = trained(options);
    std::filesystem::remove(dir_.file("m.mhe"));
    const std::atomic<bool> stop = true;
    std::size_t interruptions = 0;
    while (!std::filesystem::exists(dir_.file("m.mhe"))) {
      ASSERT_LT(interruptions, 100U);
      LearnedRun run;
      run.resume = true;
      run.stop = &stop;
      if (code_of([&] { (void)train(options, 2, run); }) == ErrorCode::kInterrupted) {
        ++interruptions;
      }
    }
    EXPECT_GE(interruptions, 4U) << kind;
    EXPECT_TRUE(dir_.read("m.mhe") == whole) << kind;
    EXPECT_EQ(dir_.num_entries(), 1U);
  }
}

TEST_F(TrainLearnedTest, RefusesCheckpointsOfOtherTrainings) {
  LearnedOptions options = quick("bag", "onehot");
  const std::atomic<bool> stop = true;
  LearnedRun run;
  run.stop = &stop;
  EXPECT_EQ(code_of([&] { (void)train(options, 2, run); }), ErrorCode::kInterrupted);
  run.stop = nullptr;
  run.resume = true;
  options.dim = 25;
  EXPECT_EQ(code_of([&] { (void)train(options, 2, run); }), ErrorCode::kInvalidData);
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
  EXPECT_EQ(code_of([&] { (void)train(options, 2, run); }), ErrorCode::kDiverged);
  ASSERT_TRUE(std::filesystem::exists(dir_.file("m.mhe.checkpoint")));
  options.learning_rate = 0.1F;
  run.resume = true;
  const LearnedReport report = train(options, 2, run);
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
    options.dim = 256;  // so that the header is little against the rows
    options.epochs = 1;
    const LearnedReport report = train(options);
    const auto bytes = static_cast<double>(std::filesystem::file_size(dir_.file("m.mhe")));
    EXPECT_NEAR(static_cast<double>(report.plan.model_bytes), bytes, 0.15 * bytes) << rank;
  }
}

TEST_F(TrainLearnedTest, KeepsTheBestEpoch) {
  LearnedOptions options = quick("bag", "onehot");
  options.epochs = 30;
  options.patience = 2;
  const LearnedReport report = train(options);
  const std::vector<EpochReport>& epochs = report.epochs[0];
  std::size_t best = 0;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    ASSERT_TRUE(epochs[i].quality);
    if (*epochs[i].quality > *epochs[best].quality) best = i;
  }
  EXPECT_TRUE(epochs.size() == 30 || epochs.size() == best + 3);
}

TEST_F(TrainLearnedTest, StaysWithinABudgetOrRefuses) {
  const LearnedOptions options = quick("bag", "onehot");
  LearnedRun run;
  run.ram_bytes = 1000;
  EXPECT_EQ(code_of([&] { (void)train(options, 2, run); }), ErrorCode::kResourceLimit);
  EXPECT_EQ(dir_.num_entries(), 0U);
}

TEST_F(TrainLearnedTest, RefusesDataOfAnotherKindAndOptionsThatCannotBe) {
  const Context context({.threads = 1});
  LearnedRun run;
  run.out = dir_.file("m.mhe");
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
